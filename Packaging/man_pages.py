"""Man pages from what a program says about its commands (`--experimental-dump-help` of swift-argument-parser)."""


def escape(text):
    """Text in which roff finds no commands."""
    lines = text.replace("\\", "\\e").replace("-", "\\-").split("\n")
    return "\n".join("\\&" + line if line.startswith((".", "'")) else line for line in lines)


def names(argument):
    """The names of an option with its value, as the help shows them."""
    dashes = {"short": "-", "long": "--", "longWithSingleDash": "-"}
    value = f" \\fI{escape(argument['valueName'])}\\fR" if argument["kind"] == "option" else ""
    return ", ".join(f"\\fB{escape(dashes[name['kind']] + name['name'])}\\fR{value}" for name in argument.get("names", []))


def entry(argument):
    title = names(argument) if argument["kind"] != "positional" else f"\\fI{escape(argument['valueName'])}\\fR"
    text = " ".join(filter(None, [argument.get("abstract"), argument.get("discussion")]))
    if argument.get("defaultValue"):
        text += f" (default: {argument['defaultValue']})"
    return f".TP\n{title}\n{escape(text.strip())}\n"


def page(command, path, version):
    name = "-".join(path)
    arguments = [argument for argument in command.get("arguments", []) if argument.get("shouldDisplay", True)]
    text = f'.TH {name.upper()} 1 "" "Parley {version}" "Parley"\n.SH NAME\n{escape(name)} \\- {escape(command.get("abstract", "").rstrip("."))}\n'
    synopsis = " ".join(["\\fB" + escape(" ".join(path)) + "\\fR"] + (["[\\fIoptions\\fR]"] if arguments else []) + [
        f"\\fI{escape(argument['valueName'])}\\fR" for argument in arguments if argument["kind"] == "positional"])
    text += f".SH SYNOPSIS\n{synopsis}\n"
    if command.get("discussion"):
        text += f".SH DESCRIPTION\n{escape(command['discussion'])}\n"
    if arguments:
        text += ".SH OPTIONS\n" + "".join(entry(argument) for argument in arguments)
    children = [child for child in command.get("subcommands", []) if child.get("shouldDisplay", True) and child["commandName"] != "help"]
    if children:
        text += ".SH COMMANDS\n" + "".join(
            f".TP\n.BR {escape('-'.join(path + [child['commandName']]))} (1)\n{escape(child.get('abstract', ''))}\n" for child in children)
    text += ".SH SEE ALSO\nThe pages in /usr/share/doc/parley/docs.\n"
    return name, text, children


def pages(command, version, path=None):
    """Pairs of the name of a page and its text, for a command and the commands below it."""
    path = (path or []) + [command["commandName"]]
    name, text, children = page(command, path, version)
    yield name, text
    for child in children:
        yield from pages(child, version, path)
