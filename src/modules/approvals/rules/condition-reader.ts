import { canonicalOf, type ExactNode } from './exact-tree.js';
import { compareDecimals, type Decimal } from './decimal.js';
import type { RuleFaults } from './rule-faults.js';
import { folderIn, numberIn, pointerIn, textIn } from './rule-values.js';
import { asAddress, hostIn, mayHoldProgram, type Condition, type Test } from './rule.js';
import { wordsFault } from './words-fault.js';

const MAX_VALUES = 100;
const OPERATORS = ['equals', 'one_of', 'min', 'max', 'prefix', 'within', 'words', 'any'];

/** Reads the conditions of a rule and checks what an `allow` could let through. */
export class ConditionReader {
  constructor(
    private readonly faults: RuleFaults,
    private readonly isAllow: boolean,
  ) {}

  /** @returns null, with a fault, if it is not a condition */
  read(node: ExactNode, at: string): Condition | null {
    if (node.kind !== 'object') return this.faults.fault(at, 'must be an object');
    const pointer = pointerIn(node.members.get('path'), `${at}.path`, '/command', this.faults);
    if (pointer === null) return null;
    const operators = [...node.members.keys()].filter((name) => name !== 'path');
    const unknown = operators.find((name) => !OPERATORS.includes(name));
    if (unknown !== undefined)
      return this.faults.fault(`${at}.${unknown}`, `is not a known operator; known are ${OPERATORS.join(', ')}`);
    const isRange = operators.every((name) => name === 'min' || name === 'max');
    if (operators.length === 0 || (operators.length > 1 && !isRange)) {
      return this.faults.fault(at, `must have one operator of ${OPERATORS.join(', ')}; only min and max go together`);
    }
    const test = isRange
      ? this.range(node.members, at)
      : this.test(operators[0]!, node.members.get(operators[0]!)!, `${at}.${operators[0]}`);
    if (test === null) return null;
    this.checkPlace(test, pointer.tokens, at);
    return { ...pointer, test };
  }

  /** Members that may hold a program: an `allow` must state the whole value. */
  private checkPlace(test: Test, tokens: readonly string[], at: string): void {
    if (!this.isAllow || !tokens.some(mayHoldProgram)) return;
    if (test.kind === 'any' || test.kind === 'prefix' || test.kind === 'within') {
      this.faults.danger(at, 'must say the whole value, with equals, one_of or words: it may be a program');
    }
  }

  private range(members: ReadonlyMap<string, ExactNode>, at: string): Test | null {
    const [min, max] = ['min', 'max'].map((name) => {
      const node = members.get(name);
      return node ? numberIn(node, `${at}.${name}`, this.faults) : null;
    }) as [Decimal | null, Decimal | null];
    if (min && max && compareDecimals(min, max) > 0) this.faults.fault(at, 'min must not be above max');
    return { kind: 'range', min, max };
  }

  private test(operator: string, node: ExactNode, at: string): Test | null {
    switch (operator) {
      case 'equals':
        return { kind: 'one_of', values: new Set([canonicalOf(node)]) };
      case 'one_of':
        return this.values(node, at);
      case 'prefix':
        return this.prefixTest(node, at);
      case 'within':
        return this.within(node, at);
      case 'words':
        return this.words(node, at);
      default:
        if (String(node.text) !== 'true') return this.faults.fault(at, 'must be true');
        return { kind: 'any' };
    }
  }

  private values(node: ExactNode, at: string): Test | null {
    const isFine = node.kind === 'array' && node.elements.length > 0 && node.elements.length <= MAX_VALUES;
    if (!isFine) return this.faults.fault(at, `must be a list of 1 to ${MAX_VALUES} values`);
    return { kind: 'one_of', values: new Set(node.elements.map(canonicalOf)) };
  }

  private prefixTest(node: ExactNode, at: string): Test | null {
    const prefix = textIn(node, at, this.faults);
    if (prefix === null) return null;
    // A slash must end the host, or the host could go on: https://example.com.evil
    const address = asAddress(prefix);
    const isOpen = hostIn(address) === address || /^[a-z][a-z0-9+.-]*:\/?$/i.test(address);
    if (this.isAllow && isOpen) this.faults.danger(at, 'must end the host of an address with /');
    return { kind: 'prefix', prefix };
  }

  private within(node: ExactNode, at: string): Test | null {
    const folder = folderIn(node, at, this.faults);
    return folder === null ? null : { kind: 'within', folder };
  }

  private words(node: ExactNode, at: string): Test | null {
    const text = textIn(node, at, this.faults);
    if (text === null) return null;
    const words = text.split(' ');
    const isPlain = words.every((word) => word !== '' && !/[\s\p{C}\p{Z}]/u.test(word));
    if (!isPlain) return this.faults.fault(at, 'must be words with single blanks between them');
    const danger = this.isAllow ? wordsFault(words) : null;
    if (danger !== null) this.faults.danger(at, danger);
    return { kind: 'words', words };
  }
}
