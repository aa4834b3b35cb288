"""The handlers and rules of `make bench ARGUMENTS="--only dispatch --only rules"`, with frameworks in Python.

    python3 -m venv env && env/bin/pip install python-telegram-bot aiogram simplex-chat
    env/bin/python Benchmarks/frameworks/dispatch.py

Measures from a message as an object to the end of the handler that takes it: no network, no reading of JSON, handlers that do nothing.
"""

import asyncio
import re
import time
from importlib.metadata import version

COUNT = 2_000
TEXT = ("the quick brown fox jumps over the lazy dog while seven wise owls watch from an old oak tree " * 3)[:200]
MATCHING = (TEXT[:-10] + " no 4711x9")[:200]
handled = 0


async def take(*_args, **_kwargs):
    global handled
    handled += 1


def word_lists():
    """A thousand words in 90 lists."""
    word = 0
    for rule in range(90):
        size = 12 if rule < 10 else 11
        yield {f"blocked{word + number}" for number in range(1, size + 1)}
        word += size


def word_patterns():
    """The lists as most bots write them: one pattern each, which reads the text once."""
    return [re.compile(r"\b(?:" + "|".join(sorted(words)) + r")\b", re.IGNORECASE) for words in word_lists()]


def patterns(count):
    return [re.compile(f"^word{number} ([0-9]+)$") for number in range(count)]


def rules():
    return word_patterns() + [re.compile(rf"\bno [0-9]{{4}}x{number}\b") for number in range(10)]


CASES = [
    ("dispatch: 20 patterns, the last matches", patterns(20), "word19 42", 1),
    ("dispatch: 200 patterns, the last matches", patterns(200), "word199 42", 1),
    ("rules: 100 rules, 1,000 words, 10 patterns, 200 characters, none applies", rules(), TEXT, 0),
    ("rules: the same, the last applies", rules(), MATCHING, 1),
]


async def measure(call, expected):
    global handled
    handled = 0
    await call()
    assert handled == expected, f"{handled} handlers ran, not {expected}"
    best = None
    for _ in range(5):
        start = time.perf_counter()
        for _ in range(COUNT // 5):
            await call()
        elapsed = (time.perf_counter() - start) / (COUNT // 5)
        best = elapsed if best is None else min(best, elapsed)
    return best * 1e6


async def telegram_bot(found, text, expected):
    from datetime import datetime, timezone

    from telegram import Chat, Message, Update, User
    from telegram.ext import ApplicationBuilder, MessageHandler, filters

    application = ApplicationBuilder().token("1:a").updater(None).build()
    application._initialized = True
    for pattern in found:
        application.add_handler(MessageHandler(filters.Regex(pattern), take))
    message = Message(1, datetime.now(timezone.utc), Chat(1, "private"), from_user=User(1, "Ann", False), text=text)
    update = Update(1, message=message)
    return await measure(lambda: application.process_update(update), expected)


async def aiogram_bot(found, text, expected):
    from datetime import datetime, timezone

    from aiogram import Bot, Dispatcher, F
    from aiogram.types import Chat, Message, Update, User

    dispatcher, bot = Dispatcher(), Bot(token="1:a")
    for pattern in found:
        dispatcher.message.register(take, F.text.regexp(pattern, search=True))
    message = Message(
        message_id=1, date=datetime.now(timezone.utc), chat=Chat(id=1, type="private"), text=text,
        from_user=User(id=1, is_bot=False, first_name="Ann"),
    )
    update = Update(update_id=1, message=message)
    elapsed = await measure(lambda: dispatcher.feed_update(bot, update), expected)
    await bot.session.close()
    return elapsed


async def simplex_bot(found, text, expected):
    from simplex_chat import Bot, BotProfile, SqliteDb
    from simplex_chat.client import Message

    bot = Bot(profile=BotProfile(display_name="Bot"), db=SqliteDb(file_prefix="unused"))
    for pattern in found:
        bot.on_message(text=pattern)(take)
    item = {"chatInfo": {"type": "direct", "contact": {"contactId": 4}}, "chatItem": {"content": {"type": "rcvMsgContent"}}}
    message = Message(chat_item=item, content={"type": "text", "text": text}, client=bot)
    return await measure(lambda: bot._dispatch_message(message), expected)


async def main():
    frameworks = [("python-telegram-bot", telegram_bot), ("aiogram", aiogram_bot), ("simplex-chat", simplex_bot)]
    print("| Figure | " + " | ".join(f"{name} {version(name)}" for name, _ in frameworks) + " |")
    print("|---" * (len(frameworks) + 1) + "|")
    for title, found, text, expected in CASES:
        row = [f"{await framework(found, text, expected):.1f} µs" for _, framework in frameworks]
        print(f"| {title} | " + " | ".join(row) + " |")


asyncio.run(main())
