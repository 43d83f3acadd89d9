"""What Schemathesis is told beside its settings."""

import atexit
from collections import Counter

import schemathesis

# The rules that a JSON Schema of the document says, by the names that the gateway gives them.
SAID_BY_SCHEMA = {
    "invalid_type", "invalid_value", "invalid_format", "invalid_union", "invalid_key", "invalid_element",
    "too_big", "too_small", "not_multiple_of", "unrecognized_keys",
}

statuses = Counter()


@schemathesis.hook
def after_call(context, case, response):
    statuses[f"{response.status_code // 100}xx"] += 1


@schemathesis.check
def refusal_of_valid_input_is_beyond_the_schema(ctx, response, case):
    """A 422 to what the document allows names no rule that the document could have said."""
    if response.status_code != 422 or not case.meta or not case.meta.generation.mode.is_positive:
        return
    for broken in response.json().get("errors", []):
        # Nor are the names of fields that the document does not name, which are ignored unless they are too long.
        if "field name" in broken["message"]:
            continue
        # The arguments of a tool have schemas of their own, which the tool's list tells.
        if broken["code"] in SAID_BY_SCHEMA and "arguments" not in broken["path"].split("."):
            raise AssertionError(f"the document takes what the gateway refuses: {broken}")


atexit.register(lambda: print("ANSWERS", *(f"{status}={count}" for status, count in sorted(statuses.items()))))
