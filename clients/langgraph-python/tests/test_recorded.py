"""LangChain's requests and expected answers, by recorded values: without LangGraph, which some indexes lack."""

from __future__ import annotations

import importlib.util
import unittest
from pathlib import Path
from typing import Any

from waystation import CallDecision, Question
from waystation._questions import asking_members, with_model_ids

_FILE = Path(__file__).resolve().parent.parent / "src" / "waystation_langgraph" / "_actions.py"
_SPEC = importlib.util.spec_from_file_location("_recorded_actions", _FILE)
assert _SPEC and _SPEC.loader
actions: Any = importlib.util.module_from_spec(_SPEC)
_SPEC.loader.exec_module(actions)

MAIL = {"name": "send_email", "args": {"to": "alice"}, "description": "Email"}
ASK = {"name": "ask_user", "args": {"question": "Which colour?", "options": ["red", "blue"]}, "description": "Ask"}
APPROVE = CallDecision(True, None, "Ada", None, False)
EDIT = CallDecision(True, None, "Ada", {"to": "bob"}, True)
REJECT = CallDecision(False, "Not now.", "Ada", None, False)
ANSWER = CallDecision(True, None, "Ada", None, False, {"q0": "blue"})


def batch(*calls: dict[str, Any], **allowed: list[str]) -> dict[str, Any]:
    """The request of langchain 1.4.2."""
    configs = [{"action_name": one["name"], "allowed_decisions": allowed[one["name"]]} for one in calls]
    return {"action_requests": [*calls], "review_configs": configs}


def approval(call: dict[str, Any], call_id: str) -> dict[str, Any]:
    """The request of langchain 1.4.6 in its mode `per_call`."""
    return {"type": "tool_approval", "tool_call_id": call_id, **call}


def schema(*decisions: str) -> dict[str, Any]:
    """The response schema of such an interrupt, reduced to its decisions."""
    named = {f"{one.title()}Decision": {"properties": {"type": {"const": one}}} for one in decisions}
    if len(named) == 1:
        return next(iter(named.values()))
    return {"$defs": named, "oneOf": [{"$ref": f"#/$defs/{name}"} for name in named]}


def history(*calls: tuple[str, Question]) -> list[dict[str, Any]]:
    called = [{"id": call_id, "function": {"name": one.name, "arguments": one.arguments}} for call_id, one in calls]
    return [{"role": "assistant", "tool_calls": called}]


class Recorded(unittest.TestCase):
    """What LangChain has asked"""

    def test_has_a_call_for_each_action_with_what_may_be_decided(self) -> None:
        value = batch(MAIL, ASK, send_email=["approve", "reject"], ask_user=["respond"])
        mail, ask = actions.action_questions("i", value, 0)
        self.assertEqual((mail.allowed_decisions, mail.allows, mail.questions), (["approve", "reject"], ("per_call",), ()))
        self.assertEqual(ask.questions, [{"text": "Which colour?", "free_text": True, "options": [{"label": "red"}, {"label": "blue"}]}])
        asked = asking_members([mail, ask])
        self.assertEqual(asked["approval_features"], ["per_call", "answer"])
        self.assertEqual([call["id"] for call in asked["pending_tool_calls"]], ["i:0:0", "i:0:1"])

    def test_gets_decisions_in_their_order(self) -> None:
        value = batch(MAIL, MAIL, MAIL, ASK, send_email=["approve", "edit", "reject"], ask_user=["respond"])
        questions = actions.action_questions("i", value, 0)
        self.assertEqual(
            actions.response_to(questions, [APPROVE, EDIT, REJECT, ANSWER]),
            {
                "decisions": [
                    {"type": "approve"},
                    {"type": "edit", "edited_action": {"name": "send_email", "args": {"to": "bob"}}},
                    {"type": "reject", "message": "Not now."},
                    {"type": "respond", "message": "blue"},
                ]
            },
        )

    def test_is_declined_with_the_reason_as_the_answer(self) -> None:
        [ask] = actions.action_questions("i", batch(ASK, ask_user=["respond"]), 0)
        self.assertEqual(actions.response_to([ask], [REJECT]), {"decisions": [{"type": "respond", "message": "Not now."}]})

    def test_is_one_call_where_each_asks_for_itself(self) -> None:
        [mail] = actions.action_questions("i", approval(MAIL, "call_1"), 0, schema("approve", "edit", "reject", "respond"))
        self.assertEqual((mail.model_id, mail.part, mail.allowed_decisions), ("call_1", None, None))
        self.assertEqual([*mail.allows], ["per_call", "edit_args"])
        edited = {"type": "edit", "edited_action": {"name": "send_email", "args": {"to": "bob"}}}
        self.assertEqual(actions.response_to([mail], [EDIT]), edited)
        [limited] = actions.action_questions("i", approval(MAIL, "call_1"), 0, schema("approve", "reject"))
        self.assertEqual(limited.allowed_decisions, ["approve", "reject"])
        [ask] = actions.action_questions("i", approval(ASK, "call_2"), 0, schema("respond"))
        self.assertEqual(actions.response_to([ask], [ANSWER]), {"type": "respond", "message": "blue"})
        self.assertEqual(len(ask.questions), 1)

    def test_is_asked_in_other_words_where_the_question_is_none_that_people_could_read(self) -> None:
        for question in (" ", "a\0b", "half \ud83d", 7):
            call = {**ASK, "args": {"question": question, "options": ["red", " "]}}
            [ask] = actions.action_questions("i", batch(call, ask_user=["respond"]), 0)
            self.assertEqual(ask.questions, [{"text": "Ask"}])

    def test_is_open_to_all_decisions_where_the_schema_names_none(self) -> None:
        named = {"oneOf": [{"$ref": "#/$defs/none"}]}
        for unknown in (None, True, {}, {"anyOf": []}, {"anyOf": [True]}, named, {"properties": {"type": "x"}}):
            [mail] = actions.action_questions("i", approval(MAIL, "call_1"), 0, unknown)
            self.assertIsNone(mail.allowed_decisions)

    def test_tells_equal_calls_apart_by_the_ids_that_it_gives(self) -> None:
        asked = [actions.action_questions(f"i{one}", approval(MAIL, one), 0)[0] for one in ("e2", "e1", "elsewhere")]
        found = with_model_ids(asked, history(("e1", asked[0]), ("e2", asked[0])))
        self.assertEqual([one.call_id for one in found], ["e2", "e1", "ielsewhere:0"])

    def test_may_be_changed_where_each_call_says_whether(self) -> None:
        value = batch(MAIL, {**MAIL, "name": "pay"}, send_email=["approve", "edit", "reject"], pay=["approve", "reject"])
        self.assertEqual(asking_members(actions.action_questions("i", value, 0))["approval_features"], ["edit_args", "per_call"])
        both = [Question("a", "a", {}, allows=("edit_args",)), Question("b", "b", {})]
        self.assertNotIn("approval_features", asking_members(both))

    def test_asks_questions_in_the_words_of_waystation(self) -> None:
        questions = [{"text": "Why?"}]
        self.assertEqual(actions.call_questions_in({"questions": questions}), questions)
        for value in ({"questions": ["why?"]}, {"questions": []}, {"questions": "why?"}, "why?", None):
            self.assertEqual(actions.call_questions_in(value), ())


if __name__ == "__main__":
    unittest.main()
