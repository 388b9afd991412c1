import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { runCli } from './program.js';
import type { Keyboard, Terminal } from './terminal.js';

const WORDS =
  '"effect":"allow","agents":["billing"],"tools":["refund"],"where":[{"path":"/cents","max":9007199254740993}],"other":"none","folder":null,' +
  '"limits":{"per_day":20},"expires_at":"2027-02-24T12:00:00.000Z","note":"Small ones"';
const SENTENCE =
  'Allow refund by agent billing when cents is at most 9007199254740993, at most 20 times in 24 hours, until 24 February 2027.';
const RULE =
  `{"id":"b51ca8d3","status":"active",${WORDS},"uses":3,"last_used_at":"${new Date(Date.now() - 125_000).toISOString()}",` +
  '"created_at":"2026-11-20T09:00:00.000Z","created_by":"kim","created_through":"console","revoked_at":null,"revoked_by":null}';
const TOTALS =
  '{"approved":{"calls":230,"ruled":214},"edited":{"calls":0,"ruled":0},"rejected":{"calls":9,"ruled":3},"expired":{"calls":0,"ruled":0}}';
const CALL = `{"trace_id":"run-1","step":2,"name":"refund","decision":"rejected","word":"allow","why":null,"created_at":"${new Date(Date.now() - 125_000).toISOString()}"`;
const FOUND = `"totals":${TOTALS},"disagreements":3,"is_partial":false`;
const REFUSED = `{"code":"rule_disagrees","detail":"It goes against people.",${FOUND},"items":[${CALL}}]}`;
const TOTAL_LINE = 'It allows 214 of 230 approved calls, and 3 of 9 rejected.';

describe('waystation rules', () => {
  const asked: string[] = [];
  let answers: [status: number, body: string][] = [];
  let server: Server;
  let folder: string;

  beforeAll(async () => {
    server = createServer((request, response) => {
      let body = '';
      request.on('data', (chunk: Buffer) => (body += chunk.toString()));
      request.on('end', () => {
        asked.push(`${request.method} ${request.url}${body === '' ? '' : ` ${body}`}`);
        const [status, text] = answers.shift() ?? [200, '{"items":[],"next_cursor":null}'];
        response.writeHead(status, { 'content-type': 'application/json' }).end(text);
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    process.env.WAYSTATION_API_URL = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    process.env.WAYSTATION_TOKEN = 'x'.repeat(40);
    folder = mkdtempSync(path.join(tmpdir(), 'waystation-rules-'));
    writeFileSync(path.join(folder, 'rule.json'), `{${WORDS}}\n`);
  });
  afterAll(() => {
    server.close();
    rmSync(folder, { recursive: true });
    delete process.env.WAYSTATION_API_URL;
    delete process.env.WAYSTATION_TOKEN;
  });
  beforeEach(() => void asked.splice(0));

  async function run(args: string[], keyboard?: Partial<Keyboard>, code = 0): Promise<string[]> {
    const lines: string[] = [];
    const terminal: Terminal = {
      print: (line) => void lines.push(...line.split('\n')),
      printError: (line) => void lines.push(...line.split('\n').map((one) => `! ${one}`)),
      keyboard: keyboard as Keyboard | undefined,
    };
    expect(await runCli(['rules', ...args], terminal)).toBe(code);
    return lines;
  }
  const file = () => path.join(folder, 'rule.json');

  it('lists them in sentences, with what they did', async () => {
    answers = [[200, `{"items":[${RULE}],"next_cursor":null}`]];
    const [heading, line] = await run(['list']);
    expect(heading).toBe('ID        USES            ENDS        MADE BY  RULE');
    expect(line).toBe(`b51ca8d3  3, last 2m ago  2027-02-24  kim      ${SENTENCE}`);
    expect(asked).toEqual([expect.stringContaining('/v1/rules?limit=200&status=active')]);
    expect(await run(['list', '--all'])).toEqual([expect.stringContaining('! No rules.')]);
  });

  it('shows one by the beginning of its id, with the words to make it again', async () => {
    answers = [[200, `{"items":[${RULE}],"next_cursor":null}`]];
    const lines = await run(['show', 'b5']);
    expect(lines.slice(0, 2)).toEqual([SENTENCE, 'Small ones']);
    expect(JSON.parse(lines.slice(lines.indexOf('{')).join(''))).toEqual(JSON.parse(`{${WORDS}}`));
    expect(lines.join('\n')).toContain('"max": 9007199254740993');
  });

  it('suggests drafts, and says what they leave open', async () => {
    answers = [[200, `{"items":[{"rule":{${WORDS}},"calls":7,"open":["/text"]}]}`]];
    expect(await run(['suggest', '--agent', 'billing'])).toEqual([
      SENTENCE,
      '  7 calls approved.',
      '  It allows nothing before you add conditions for /text.',
    ]);
    expect(await run(['suggest'], undefined, 2)).toEqual([expect.stringContaining('Give either --agent')]);
  });

  it('suggests drafts for an approval, named as elsewhere by its run or its thread, whole or by the beginning', async () => {
    const drafts = [200, `{"items":[{"rule":{${WORDS}},"calls":7,"open":[]}]}`] as [number, string];
    const approval = (step: number, status = 'pending') =>
      `{"thread_id":"parcel-16","trace_id":"run-1","step":${step},"status":"${status}","digest":"d${step}","agent_id":"billing","tool_calls":[]}`;
    const page = (...items: string[]) => [200, `{"items":[${items.join()}],"next_cursor":null}`] as [number, string];
    const request = 'GET /v1/rules/suggestions?trace_id=run-1&step=2&thread_id=parcel-16';
    answers = [page(approval(1, 'approved'), approval(2, 'approved')), drafts];
    expect((await run(['suggest', 'run-1', '--json']))[0]).toContain(`{"rule":{${WORDS}},"calls":7`);
    expect(asked.at(-1)).toBe(request);
    answers = [page(), page(), page(approval(2)), drafts];
    await run(['suggest', 'ru']);
    expect(asked.at(-1)).toBe(request);
    // Nothing is pending in the thread: the newest closed approval counts.
    const thread = page('{"thread_id":"parcel-16"}');
    answers = [
      [404, '{"code":"approval_not_found","detail":"None."}'],
      thread,
      page(),
      page(approval(1, 'rejected'), approval(2, 'approved')),
      drafts,
    ];
    await run(['suggest', '--thread', 'parcel']);
    expect(asked.at(-1)).toBe(request);
    answers = [page(approval(1), approval(2))];
    expect(await run(['suggest', 'run-1'], undefined, 2)).toEqual([
      '! More than one approval waits there; choose one:',
      expect.stringContaining('run-1 1 --thread parcel-16'),
      expect.stringContaining('run-1 2 --thread parcel-16'),
    ]);
    answers = [page(), page(), page()];
    expect(await run(['suggest', 'no-run', '2'], undefined, 1)).toEqual([expect.stringContaining('no such approval')]);
  });

  it('rehearses a file', async () => {
    answers = [[200, `{"items":[${CALL},"args":{"cents":9007199254740993}}],${FOUND}}`]];
    const lines = await run(['rehearse', file()]);
    expect(lines.slice(0, 3)).toEqual([SENTENCE, TOTAL_LINE, 'People decided 3 of these otherwise:']);
    expect(lines.at(-1)).toMatch(/^rejected {2}allows {2}2m {5}run-1 2 {7}refund\(\{"cents":9007199254740993\}\)/);
    expect(asked).toEqual([`POST /v1/rules/rehearse {"rule":{${WORDS}}}`]);
  });

  it('makes the rule of a file, after a person has read its sentence', async () => {
    answers = [[201, RULE]];
    expect(await run(['add', file()])).toEqual([`! ${SENTENCE}`, 'b51ca8d3']);
    expect(asked).toEqual([`POST /v1/rules {${WORDS}}`]);
    const no = { confirm: async () => false };
    expect((await run(['add', file()], no, 1)).at(-1)).toBe('! No rule was made.');
    expect(asked).toHaveLength(1);
  });

  it('goes against people only with their number', async () => {
    answers = [[409, REFUSED]];
    const lines = await run(['add', file()], undefined, 1);
    expect(lines).toContain(`! ${TOTAL_LINE}`);
    expect(lines.at(-1)).toContain('--disagreements 3');
    const questions: string[] = [];
    answers = [
      [409, REFUSED],
      [201, RULE],
    ];
    const yes: Partial<Keyboard> = { confirm: async ({ question }) => questions.push(question) > 0 };
    expect((await run(['add', file()], yes)).at(-1)).toBe('b51ca8d3');
    expect(questions[1]).toBe('Allow 3 calls that people rejected or edited, all the same?');
    expect(asked.at(-1)).toBe(`POST /v1/rules {${WORDS},"disagreements":3}`);
  });

  it('makes a rule of a draft that a person chooses', async () => {
    answers = [
      [200, `{"items":[{"rule":{${WORDS}},"calls":7,"open":[]}]}`],
      [201, RULE],
    ];
    const keyboard = { pick: async () => 0, confirm: async () => true };
    expect((await run(['add', '--agent', 'billing'], keyboard)).at(-1)).toBe('b51ca8d3');
    expect(await run(['add'], keyboard, 2)).toEqual([expect.stringContaining('Give a file')]);
  });

  it('says what a person has made of it in the editor, where it is no rule any more', async () => {
    process.env.VISUAL = 'sed -i s/agents/agent/';
    expect(await run(['add', file(), '--edit'], undefined, 1)).toEqual([expect.stringContaining('holds no rule')]);
    delete process.env.VISUAL;
    expect(asked).toEqual([]);
  });

  it('shows the words of whoever refuses it', async () => {
    answers = [[409, 'busy']];
    expect((await run(['add', file()], undefined, 1)).at(-1)).not.toContain('Unexpected');
  });

  it('revokes by the beginning of the id, and says what holds no rule', async () => {
    answers = [
      [200, `{"items":[${RULE}],"next_cursor":null}`],
      [204, ''],
    ];
    expect(await run(['revoke', 'b5'])).toEqual(['revoked  b51ca8d3']);
    expect(asked.at(-1)).toBe('DELETE /v1/rules/b51ca8d3');
    for (const text of [
      '[]',
      '{"effect":"allow","agents":"x","tools":[]}',
      '{"effect":"allow","agents":[],"tools":[],"where":[1]}',
      '{"effect":"allow","agents":[],"tools":[],"where":[{"path":"/a","words":5}]}',
      '{"effect":"allow","agents":[],"tools":[],"where":[{"path":"/a","one_of":"b"}]}',
      '{"effect":"allow","agents":[],"tools":[],"limits":{"per_day":1,"sum":5}}',
    ]) {
      writeFileSync(path.join(folder, 'other.json'), text);
      expect(await run(['add', path.join(folder, 'other.json')], undefined, 1)).toEqual([
        expect.stringContaining('holds no rule'),
      ]);
    }
  });
});
