import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { launchContext } from '../config/env.js';
import { runCli } from './program.js';

const BIG = '12345678901234567890123';

function approval(traceId: string, calls: string[], agentId = 'support'): string {
  const created = new Date(Date.now() - 125_000).toISOString();
  const head = {
    trace_id: traceId,
    step: 3,
    thread_id: 't',
    agent_id: agentId,
    status: 'pending',
    created_at: created,
  };
  return `${JSON.stringify(head).slice(0, -1)},"tool_calls":[${calls.join(',')}],"digest":"d","attempt":1}`;
}

const call = (name: string, args: string) =>
  `{"index":0,"name":${JSON.stringify(name)},"args":${args},"decision":null,"edited_args":null}`;

describe('waystation approvals', () => {
  const asked: string[] = [];
  let pages: string[] = [];
  let server: Server;

  beforeAll(async () => {
    server = createServer((request, response) => {
      asked.push(request.url!);
      response.end(pages.shift() ?? '{"items":[],"next_cursor":null}');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    process.env.WAYSTATION_API_URL = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    process.env.WAYSTATION_TOKEN = 'x'.repeat(40);
  });
  afterAll(() => {
    server.close();
    delete process.env.WAYSTATION_API_URL;
    delete process.env.WAYSTATION_TOKEN;
  });

  async function list(width: number | undefined, ...args: string[]): Promise<string[]> {
    const lines: string[] = [];
    const terminal = {
      print: (line: string) => void lines.push(...line.split('\n')),
      printError: (line: string) => void lines.push(`! ${line}`),
      width,
    };
    expect(await runCli(['approvals', ...args], terminal)).toBe(0);
    return lines;
  }

  it('shows each call with its exact arguments, in columns, page by page', async () => {
    const first = approval('run-1', [call('pay', `{"cents": ${BIG}}`), call('send_mail', '{}')]);
    const second = approval('run-20', ['{"index":0,"name":null,"args":"do it","decision":null,"edited_args":null}']);
    pages = [`{"items":[${first}],"next_cursor":"n\u0065xt/1"}`, `{"items":[${second}],"next_cursor":null}`];
    expect(await list(undefined)).toEqual([
      'TRACE   STEP  AGENT    SINCE  TOOL       ARGUMENTS',
      `run-1   3     support  2m     pay        {"cents": ${BIG}}`,
      '                              send_mail  {}',
      'run-20  3     support  2m     -          "do it"',
    ]);
    expect(asked.splice(0)).toEqual([
      '/approvals?limit=200&status=pending',
      '/approvals?limit=200&status=pending&cursor=next%2F1',
    ]);
  });

  it('cuts arguments to the screen, agents and tools to what is sensible, and never the address', async () => {
    const trace = 'r'.repeat(60);
    const long = approval(trace, [call('t'.repeat(100), `{"text":"${'x'.repeat(500)}"}`)], 'a'.repeat(100));
    pages = [`{"items":[${long}],"next_cursor":null}`];
    const [, line] = await list(80);
    expect(line).toContain(`${trace}  3  `);
    expect(line!.length).toBeLessThan(160);
    pages = [`{"items":[${approval('run-1', [call('pay', `{"text":"${'x'.repeat(500)}"}`)])}],"next_cursor":null}`];
    const lines = await list(80);
    expect(lines.map(({ length }) => length <= 80)).toEqual([true, true]);
    expect(lines[1]).toMatch(/{"text":"x+…$/);
  });

  it('lets no agent write to the terminal', async () => {
    pages = [
      `{"items":[${approval('\u001b[2Jrun', [call('\u001b]0;x\u0007', '{"a":\r\n"\u202e"}')])}],"next_cursor":null}`,
    ];
    const text = (await list(undefined)).join('\n');
    expect(text.replaceAll('\n', '')).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202e]/);
    expect(text).toContain('\\u001b[2Jrun');
  });

  it('prints the records as they came, one a line, when asked for JSON', async () => {
    // The first response says that the thread exists.
    pages = ['{}', `{"items":[${approval('run-1', [call('pay', `{\r\n"cents": ${BIG}}`)])}],"next_cursor":null}`];
    const lines = await list(80, '--json', '--status', 'all', '--agent', 'a b', '--thread', 't&1');
    expect(lines).toHaveLength(1);
    expect(lines[0]).toContain(`{ "cents": ${BIG}}`);
    expect(asked.pop()).toBe('/approvals?limit=200&status=all&agent_id=a+b&thread_id=t%261');
  });

  it('says so when nothing waits', async () => {
    expect(await list(80)).toEqual([
      `! Nothing waits for a person. Past decisions: ${launchContext().command} approvals --status all`,
    ]);
    expect(await list(80, '--status', 'expired')).toEqual([
      `! No approvals match. All of them: ${launchContext().command} approvals --status all`,
    ]);
    expect(await list(80, '--status', 'all')).toEqual([
      `! No approvals yet. Try \`${launchContext().command} demo --seed\`.`,
    ]);
    expect(await list(80, '--json')).toEqual([]);
  });
});
