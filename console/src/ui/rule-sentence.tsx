import { ruleSentence, type RuleWords } from '../../../src/common/contract/rule-sentence.js';
import { VisibleText } from './visible-text.js';

/** A standing rule in plain words. Its names and values come from agents. */
export function RuleSentence({ rule }: { rule: RuleWords }) {
  return <VisibleText text={ruleSentence(rule)} isValue />;
}
