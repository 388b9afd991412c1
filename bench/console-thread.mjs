// How long the page of a large thread blocks the browser: 2,000 steps with 4,000 messages, and one message of 5 MB.
// WAYSTATION_API_URL=... WAYSTATION_TOKEN=... node bench/console-thread.mjs
// It records the threads on that server, goes through them in Chromium, and prints the longest tasks from the browser's own trace, in
// elapsed and in CPU time; the latter is more reliable on a busy machine. Exits with 1 if a task after load takes over 200 ms of CPU.
import { execFileSync } from 'node:child_process';
import { chromium } from 'playwright-core';

const { WAYSTATION_API_URL: url = 'http://127.0.0.1:8000', WAYSTATION_TOKEN: token } = process.env;
const STEPS = 2_000;
const PER_BATCH = 250;
const LIMIT_MS = 200;

await record(
  'bench-steps',
  Array.from({ length: STEPS }, (_, step) => manySteps(step)),
);
await record('bench-huge', [hugeMessage()]);
const executablePath = process.env.CHROMIUM ?? execFileSync('which', ['chromium']).toString().trim();
const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
let isSlow = false;
try {
  await measure('bench-steps', {
    load: (page) => page.getByRole('heading', { name: `Step ${STEPS - 1}`, exact: true }).waitFor(),
    'scroll through it': async (page) => {
      await page.locator('.transcript .scroller').hover();
      for (let turn = 0; turn < 20; turn++) await page.mouse.wheel(0, -4_000);
      await page.waitForTimeout(500);
    },
    '40 steps back by key': async (page) => {
      for (let step = 0; step < 40; step++) await page.keyboard.press('k');
      await page.getByRole('heading', { name: `Step ${STEPS - 41}`, exact: true }).waitFor();
    },
    'to the first step': async (page) => {
      await page.keyboard.press('Home');
      await page.getByRole('heading', { name: 'Step 0', exact: true }).waitFor();
    },
    'to the last step': async (page) => {
      await page.keyboard.press('Escape');
      await page.getByRole('heading', { name: `Step ${STEPS - 1}`, exact: true }).waitFor();
    },
    find: async (page) => {
      await page.getByLabel('Find in the transcript').fill('result 7');
      await page.waitForTimeout(1_000);
    },
    'raw JSON': async (page) => {
      await page.getByRole('tab', { name: 'Raw' }).click();
      await page.getByRole('tree').waitFor();
    },
  });
  await measure('bench-huge', {
    load: (page) => page.getByRole('article').first().waitFor(),
    'scroll through it': async (page) => {
      await page.locator('.transcript .scroller').hover();
      for (let turn = 0; turn < 10; turn++) await page.mouse.wheel(0, 2_000);
      await page.waitForTimeout(500);
    },
  });
} finally {
  await browser.close();
}
process.exit(isSlow ? 1 : 0);

async function measure(threadId, acts) {
  const context = await browser.newContext({
    viewport: { width: 1440, height: 900 },
    extraHTTPHeaders: { authorization: `Bearer ${token}` },
  });
  const page = await context.newPage();
  for (const [name, act] of Object.entries(acts)) {
    const session = await context.newCDPSession(page);
    const tasks = await traced(session, async () => {
      if (name === 'load') await page.goto(`${url}/console/threads/${threadId}`);
      await act(page);
    });
    const longest = tasks.sort((a, b) => b.cpu - a.cpu)[0] ?? { wall: 0, cpu: 0 };
    console.log(
      `${threadId}, ${name}: longest task ${longest.cpu.toFixed(0)} ms of processor, ${longest.wall.toFixed(0)} ms of wall`,
    );
    if (name !== 'load' && longest.cpu > LIMIT_MS) isSlow = true;
  }
  await context.close();
}

/** The tasks of the page's main thread during the action. */
async function traced(session, act) {
  const events = [];
  session.on('Tracing.dataCollected', ({ value }) => events.push(...value));
  const ended = new Promise((resolve) => session.once('Tracing.tracingComplete', resolve));
  await session.send('Tracing.start', {
    categories: 'disabled-by-default-devtools.timeline,toplevel',
    transferMode: 'ReportEvents',
  });
  await act();
  await session.send('Tracing.end');
  await ended;
  const main = new Set(
    events
      .filter(({ name, args }) => name === 'thread_name' && args.name === 'CrRendererMain')
      .map(({ pid, tid }) => `${pid} ${tid}`),
  );
  return events
    .filter(({ name, ph, pid, tid }) => ph === 'X' && name.endsWith('RunTask') && main.has(`${pid} ${tid}`))
    .map(({ dur = 0, tdur = 0 }) => ({ wall: dur / 1000, cpu: tdur / 1000 }));
}

function manySteps(step) {
  const call = { id: `c${step}`, type: 'function', function: { name: 'search', arguments: `{"item":${step}}` } };
  const said = [
    {
      role: 'assistant',
      content: `Step ${step}: let me look at **item ${step}**.\n\n- one\n- two`,
      tool_calls: [call],
    },
    {
      role: 'tool',
      tool_call_id: `c${step}`,
      content: `Result ${step}: ${'lorem ipsum dolor sit amet '.repeat(step % 40)}`,
    },
  ];
  const base = step > 0 ? { history_base: { id: `bench-${step - 1}`, length: 2 * step } } : {};
  return checkpoint(step, { ...base, history: said });
}

function hugeMessage() {
  return checkpoint(0, {
    history: [
      { role: 'user', content: 'Tell me everything.' },
      { role: 'assistant', content: `# Everything\n\n${'A paragraph of *words* that goes on. '.repeat(140_000)}` },
    ],
  });
}

function checkpoint(step, more) {
  const figures = { tokens_used: 200 * step, run_cost_usd: 0.001 * step, budget_usd: 5, model: 'bench' };
  return {
    type: 'checkpoint',
    id: `bench-${step}`,
    data: { trace_id: 'run-1', agent_id: 'bench', step_index: step, status: 'in_progress', ...figures, ...more },
  };
}

async function record(threadId, events) {
  await fetch(`${url}/threads/${threadId}`, { method: 'DELETE', headers: { authorization: `Bearer ${token}` } });
  for (let at = 0; at < events.length; at += PER_BATCH) {
    const batch = events
      .slice(at, at + PER_BATCH)
      .map((event) => ({ ...event, data: { thread_id: threadId, ...event.data } }));
    const response = await fetch(`${url}/v1/runners/events`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ events: batch }),
    });
    const answer = await response.json();
    if (response.status !== 200 || answer.rejected.length > 0) throw new Error(JSON.stringify(answer).slice(0, 500));
  }
}
