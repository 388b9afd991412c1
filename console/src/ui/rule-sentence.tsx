import { ruleSentence, type RuleWords } from '../../../src/common/contract/rule-sentence.js';
import { VisibleText } from './visible-text.js';

/** A standing rule in plain words. Names and values in it come from agents. */
export function RuleSentence({ rule }: { rule: RuleWords }) {
  return <VisibleText text={ruleSentence(rule)} isValue />;
}
