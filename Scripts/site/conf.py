"""The configuration of Sphinx for the site: see build-site."""
from docutils import nodes
from myst_parser.mdit_to_docutils.base import default_slugify

project = "Parley"
html_title = "Parley"
extensions = ["myst_parser", "sphinx_copybutton"]
source_suffix = {".md": "markdown"}
myst_heading_anchors = 6
# `api:` is a path from the folder `api`, below which are pages that Sphinx does not know.
myst_url_schemes = {"http": None, "https": None, "mailto": None, "api": {"url": "{{path}}", "title": "{{path}}"}}
# A block without a language is a text. A snippet with an ellipsis is not valid JSON or Swift, and no error.
highlight_language = "none"
suppress_warnings = ["misc.highlighting_failure"]
html_theme = "furo"
html_static_path = ["static"]
html_css_files = ["site.css"]
html_favicon = "static/favicon.svg"
html_copy_source = False
html_show_sphinx = False
html_theme_options = {"navigation_with_keys": False, "top_of_page_buttons": []}


def add_anchors(app, doctree):
    """Gives headings the anchors that GitHub derives from them, so that links from elsewhere work on both."""
    taken = {name for node in doctree.findall(nodes.section) for name in node["ids"]}
    for section in doctree.findall(nodes.section):
        slug = default_slugify(section[0].astext())
        if slug and slug not in taken:
            taken.add(slug)
            section["ids"].append(slug)


def setup(app):
    app.connect("doctree-read", add_anchors)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
