import { parseExact, stringifyExact } from '../api/exact-json.js';
import { argumentsText, canDecidePerCall, canEdit, decisionOf, EMPTY_DRAFT, faultOf, type Draft } from './draft.js';
import type { Approval } from './inbox.js';

const TEXT =
  '{"digest":"d1","approval_features":["per_call","edit_args"],"tool_calls":[' +
  '{"index":0,"name":"refund","args":{"order":9007199254740993,"eur":149.00},"raw":{}},' +
  '{"index":1,"name":"mail","args":{"to":"ann"},"raw":{}},{"index":2,"name":null,"args":"cut","raw":null}]}';
const approval = parseExact(TEXT) as Approval;
const draft = (fields: Partial<Draft>): Draft => ({ ...EMPTY_DRAFT, ...fields });

describe('A decision', () => {
  it('sends the digest of what was shown, and the reason', () => {
    expect(decisionOf(approval, EMPTY_DRAFT, 'approve')).toEqual({ digest: 'd1' });
    expect(decisionOf(approval, draft({ reason: ' no \n' }), 'reject')).toEqual({ digest: 'd1', reason: 'no' });
  });

  it('names the calls that shall not run, and the edited arguments of the others, digit by digit', () => {
    const edits = new Map([
      [0, '{"order": 9007199254740995, "eur": 149.0}'],
      [1, 'not JSON, but not to be run either'],
    ]);
    const entered = draft({ edits, refused: new Set([1]) });
    expect(faultOf(approval, entered)).toBeNull();
    expect(stringifyExact(decisionOf(approval, entered, 'approve'))).toBe(
      '{"digest":"d1","decisions":[{"index":0,"decision":"approve","args":{"order":9007199254740995,"eur":149.0}},{"index":1,"decision":"reject"}]}',
    );
  });

  it('does not send what was not changed', () => {
    const edits = new Map([[0, argumentsText(approval.tool_calls[0]!.args)]]);
    expect(decisionOf(approval, draft({ edits }), 'approve')).toEqual({ digest: 'd1' });
  });

  it('says where edited arguments are wrong', () => {
    expect(faultOf(approval, draft({ edits: new Map([[1, '{\n  "to": ann\n}']]) }))).toBe(
      'The arguments of mail are not JSON: line 2, column 9: a value is missing.',
    );
    expect(faultOf(approval, draft({ edits: new Map([[1, 'null']]) }))).toContain('null stands for');
    expect(faultOf(approval, draft({ refused: new Set([0, 1, 2]) }))).toContain('No call is selected');
  });

  it('has the parts that the agent declares', () => {
    expect([canDecidePerCall(approval), canEdit(approval, approval.tool_calls[0]!)]).toEqual([true, true]);
    expect(canEdit(approval, approval.tool_calls[2]!)).toBe(false);
    const plain = { ...approval, approval_features: [] };
    expect([canDecidePerCall(plain), canEdit(plain, approval.tool_calls[0]!)]).toEqual([false, false]);
  });
});
