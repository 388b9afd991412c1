import fc from 'fast-check';
import { LOG_KINDS, LOG_LEVELS, type LogEntry } from './log-entry.js';
import { LogExtractor } from './log-extractor.js';
import { readMessage } from '../shapes/message-shapes.js';

const source = { ts: '2026-11-20T09:00:00.000Z', agent_id: 'support', trace_id: 'run-1', step_index: 1, tokens_in: 1 };

function expectWellFormed(entry: LogEntry): void {
  expect(LOG_LEVELS).toContain(entry.level);
  expect(LOG_KINDS).toContain(entry.kind);
  expect(typeof entry.message).toBe('string');
  expect(typeof (entry.tool_name ?? 'none')).toBe('string');
  expect(entry.duration_ms ?? 0).toBeGreaterThanOrEqual(0);
}

describe('any JSON value', () => {
  const fields = [
    ...'role type content parts text message name id call_id status error output tool_calls'.split(' '),
    ...'function_call function arguments tool_call_id tool_call_ids refusal audio reasoning_content'.split(' '),
    ...'summary result thinking input tool_use_id is_error file action thought functionCall'.split(' '),
    ...'functionResponse response inlineData mimeType executableCode outcome codeExecutionResult'.split(' '),
    ...'__proto__ constructor'.split(' '),
  ];
  const words = [
    ...'user assistant model tool function system message reasoning function_call mcp_call'.split(' '),
    ...'function_call_output image_generation_call text output_text refusal image_url document thinking'.split(' '),
    ...'tool_use tool_result web_search_tool_result web_search_result c1 error'.split(' '),
    '',
  ];
  const { value: messageLike } = fc.letrec((tie) => ({
    value: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      { weight: 4, arbitrary: fc.constantFrom(...words) },
      { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 1 }) },
      { weight: 2, arbitrary: fc.array(tie('value'), { maxLength: 4 }) },
      { weight: 5, arbitrary: fc.dictionary(fc.constantFrom(...fields), tie('value'), { maxKeys: 8 }) },
    ),
  }));

  it('can be read by every shape', () => {
    fc.assert(
      fc.property(fc.oneof(messageLike, fc.jsonValue()), (value) => {
        expect(readMessage(value).length).toBeGreaterThan(0);
      }),
      { numRuns: 5_000 },
    );
  });

  it('becomes one or more well-formed entries, also in a row with others', () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(messageLike, fc.jsonValue()), { maxLength: 6 }), (values) => {
        const logs = new LogExtractor();
        for (const value of values) {
          const entries = logs.extract(JSON.stringify(value), source);
          expect(entries.filter((entry) => entry.tokens_in !== undefined)).toHaveLength(1);
          entries.forEach(expectWellFormed);
        }
      }),
      { numRuns: 2_000 },
    );
  });

  it('may also be text that is no JSON at all', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(new LogExtractor().extract(text, source).length).toBeGreaterThan(0);
      }),
    );
  });
});
