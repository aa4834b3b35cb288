"""The order of the pages in the sidebar of the site. A page that is missing here fails the build."""
import pathlib

GROUPS = [
    ("First steps", ["docs/first-bot", "docs/first-bot-yaml", "docs/coming-from", "docs/network", "Examples/index"]),
    ("Bots", [
        "docs/handlers", "docs/state", "docs/dialogues", "docs/files", "docs/groups", "docs/moderation", "docs/channels", "docs/testing",
        "docs/web-requests"]),
    ("bots.yaml", ["docs/bots-yaml", "docs/rules", "docs/webhooks", "docs/extending"]),
    ("Operation", [
        "docs/deployment", "docs/containers", "docs/sizing", "docs/upgrade", "docs/monitoring", "docs/storage", "docs/privacy", "docs/router", "docs/file-router", "docs/troubleshooting"]),
    ("Reference", [
        "docs/commands/index", "docs/guarantees", "docs/threat-model", "docs/rights", "docs/flood-control", "docs/status", "docs/glossary"]),
    ("Evidence", ["docs/reliability", "docs/reliability-journal", "docs/interop", "docs/benchmarks", "docs/benchmarks-journal"]),
    ("Project", [
        "CHANGELOG", "SECURITY", "CONTRIBUTING", "docs/development", "docs/architecture", "docs/contributing-map", "docs/dependencies"]),
]
# Folders whose pages are below the page of their README.
FOLDERS = {pathlib.Path("docs/commands"), pathlib.Path("Examples")}


def children(page: pathlib.Path, root: pathlib.Path) -> list[str]:
    """The pages below a page, relative to its folder."""
    if page.name != "README.md" or page.parent not in FOLDERS:
        return []
    folder = root / page.parent
    pages = [file.stem for file in folder.glob("*.md") if file.name != "README.md"]
    return sorted(pages + [f"{file.parent.name}/index" for file in folder.glob("*/README.md")])
