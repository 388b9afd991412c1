// What the console's thread list costs the browser with many stored threads: `node bench/console.mjs` after `npm run build`.
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { chromium } from 'playwright-core';
import sqlite3 from 'sqlite3';
import { seededThread } from './corpus/seeded-thread.mjs';
import { Cleanup } from './support/cleanup.mjs';
import { ServerProcess } from './support/server-process.mjs';

const { values } = parseArgs({
  options: { threads: { type: 'string', default: '100000' }, loads: { type: 'string', default: '10' } },
});
const CLI = path.resolve(import.meta.dirname, '..', 'dist', 'cli.js');
/** Threads that are reported; the others are copied from them in the database. */
const REPORTED = 1_000;
const SCROLLED_ROWS = 20_000;
/** Browser tasks that block the page. */
const TASK = /^(?:RunTask|ThreadControllerImpl::RunTask)$/;
const CATEGORIES = 'toplevel,devtools.timeline,disabled-by-default-devtools.timeline';

/** When the browser sent each request and received the response. */
const REQUESTS = `performance.getEntriesByType('resource').map(({ name, startTime, responseEnd }) =>
  new URL(name).pathname.split('/').at(-1) + ' ' + Math.round(startTime) + '-' + Math.round(responseEnd)).join(', ')`;

const cleanup = new Cleanup();
const home = cleanup.makeFolder('console');
const copies = Math.max(0, Math.round(Number(values.threads) / REPORTED) - 1);
const start = async () => {
  const env = { WAYSTATION_HOME: home, WAYSTATION_LOG_LEVEL: 'error' };
  const server = await ServerProcess.start({ args: [CLI, 'serve'], env, cwd: home, logFile: `${home}/log`, cleanup });
  server.token = readFileSync(`${home}/.api-secret`, 'utf8').trim();
  return server;
};

const empty = await start();
await report(empty);
await empty.stop();
await multiply(copies);
const server = await start();
const executablePath = ['chromium', 'chromium-browser', 'google-chrome']
  .flatMap((name) => process.env.PATH.split(path.delimiter).map((folder) => path.join(folder, name)))
  .find((file) => existsSync(file));
const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
try {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
  const page = await openRuns(context);
  print('threads stored', (copies + 1) * REPORTED);
  await firstViews(page);
  await searches(page);
  const debug = await context.newCDPSession(page);
  print('heap at the first view, MB', await heapMegabytes(debug));
  print('longest task, 100 pages down, ms', await longestTask(debug, () => pageDown(page)));
  print('longest task, drags of the scrollbar, ms', await longestTask(debug, () => drag(page)));
  await scrollTo(page, SCROLLED_ROWS);
  print('rows loaded', await page.evaluate('Math.round(document.querySelector(".runs .body").offsetHeight / 40)'));
  print('rows in the page', await page.locator('.line').count());
  print(`heap after ${SCROLLED_ROWS} rows, MB`, await heapMegabytes(debug));
  print('longest task, drags over them, ms', await longestTask(debug, () => drag(page)));
} finally {
  await browser.close();
  await server.stop();
  await cleanup.run();
}

async function report({ port, token }) {
  for (let from = 0; from < REPORTED; from += 200) {
    const threads = Array.from({ length: 200 }, (_, index) => seededThread(43, from + index, 1));
    const response = await fetch(`http://127.0.0.1:${port}/v1/runners/events`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: `{"events":[${threads.flat().join(',')}]}`,
    });
    if (response.status !== 200) throw new Error(`${response.status} ${await response.text()}`);
  }
}

/** Copies the reported threads within the database, each copy some seconds later. */
async function multiply(times) {
  const database = new sqlite3.Database(path.join(home, 'waystation.db'));
  const all = (sql) => new Promise((ok, no) => database.all(sql, (error, rows) => (error ? no(error) : ok(rows))));
  const columnsOf = async (table) => (await all(`PRAGMA table_info(${table})`)).map(({ name }) => name);
  const [thread, ...others] = ['thread', 'thread_agent', 'run', 'checkpoint', 'message', 'thread_event'];
  const columns = await columnsOf(thread);
  const changed = (copy) => ({
    pk: `pk + ${copy * REPORTED}`,
    id: `id || '-${copy}'`,
    started_at: `started_at + ${copy * 5000}`,
    updated_at: `updated_at + ${copy * 5000}`,
  });
  await all('PRAGMA synchronous = OFF');
  for (let copy = 1; copy <= times; copy += 1) {
    await all('BEGIN');
    const picked = columns.map((name) => changed(copy)[name] ?? name);
    await all(`INSERT INTO ${thread} (${columns}) SELECT ${picked} FROM ${thread} WHERE pk <= ${REPORTED}`);
    for (const table of others) {
      const names = await columnsOf(table);
      const values_ = names.map((name) => (name === 'thread_pk' ? `thread_pk + ${copy * REPORTED}` : name));
      await all(`INSERT INTO ${table} (${names}) SELECT ${values_} FROM ${table} WHERE thread_pk <= ${REPORTED}`);
    }
    await all('COMMIT');
  }
  await new Promise((resolve) => database.close(resolve));
}

async function openRuns(context) {
  const url = `http://127.0.0.1:${server.port}`;
  const headers = { authorization: `Bearer ${server.token}`, 'content-type': 'application/json' };
  const answer = await fetch(`${url}/v1/console/codes`, { method: 'POST', headers, body: '{"scope":"admin"}' });
  const { code } = await answer.json();
  const page = await context.newPage();
  // When the first row is drawn, in ms since the navigation.
  await page.addInitScript(() => {
    const observer = new globalThis.MutationObserver(() => {
      if (!globalThis.document.querySelector('.line')) return;
      observer.disconnect();
      globalThis.requestAnimationFrame(() => setTimeout(() => (globalThis.firstRowMs = performance.now())));
    });
    observer.observe(globalThis.document, { childList: true, subtree: true });
  });
  await page.goto(`${url}/console/#code=${code}`);
  await until(page, 'globalThis.firstRowMs');
  return page;
}

async function firstViews(page) {
  const times = [];
  for (let load = 0; load < Number(values.loads); load += 1) {
    await page.reload();
    times.push(await until(page, 'globalThis.firstRowMs'));
  }
  times.sort((one, other) => one - other);
  print('first row drawn after navigation, median, ms', times[Math.floor(times.length / 2)]);
  print('first row drawn after navigation, slowest, ms', times.at(-1));
  print('requests of the last one, ms from its beginning', await page.evaluate(REQUESTS));
}

/**
 * From a key in the search box until its results are drawn. Each letter has different results, and ids of threads are long enough for all.
 * Measured in the page: from the key event to the frame after this text's results are in the document.
 */
async function searches(page) {
  await page.keyboard.press('Control+k');
  await page.locator('.search-find').first().waitFor();
  const [thread] = await page.locator('.search-find').allInnerTexts();
  const id = thread.split('\n')[0].trim();
  const times = [];
  for (const letter of id.slice(0, 24)) {
    await page.evaluate(`(globalThis.searchMs = 0, addEventListener('keydown', () => {
      const from = performance.now();
      const before = performance.getEntriesByType('resource').length;
      const look = () => {
        const asked = performance.getEntriesByType('resource').slice(before).some(({ name }) => /\\/threads\\?.*q=/.test(name));
        if (!asked) return setTimeout(look);
        requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(() => (globalThis.searchMs = performance.now() - from))));
      };
      look();
    }, { once: true, capture: true }))`);
    await page.keyboard.type(letter);
    times.push(await until(page, 'globalThis.searchMs'));
  }
  await page.keyboard.press('Escape');
  times.sort((one, other) => one - other);
  print('finds drawn after a key, median, ms', times[Math.floor(times.length / 2)]);
  print('finds drawn after a key, slowest, ms', times.at(-1));
}

async function pageDown(page) {
  for (let press = 0; press < 100; press += 1) {
    await page.keyboard.press('PageDown');
    await nextFrame(page);
  }
}

/** Like a hand on the scrollbar: far, fast, and both ways. */
async function drag(page) {
  for (let step = 0; step <= 60; step += 1) {
    const part = Math.abs(Math.sin(step / 7));
    await page.evaluate(`scrollTo(0, ${part} * document.documentElement.scrollHeight)`);
    await nextFrame(page);
  }
}

async function scrollTo(page, rows) {
  await until(page, `(scrollTo(0, 1e9), document.querySelector('.runs .body').offsetHeight >= ${rows} * 40)`);
  await page.waitForTimeout(1_000);
}

/** Evaluates from outside, because the page's policy forbids `eval`. */
async function until(page, expression) {
  for (;;) {
    const found = await page.evaluate(expression);
    if (found) return found;
    await page.waitForTimeout(20);
  }
}

function nextFrame(page) {
  return page.evaluate('new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)))');
}

/** Milliseconds of the page's longest task during `act`, in elapsed and in CPU time, from the browser's own trace. */
async function longestTask(debug, act) {
  const events = [];
  const collect = ({ value }) => events.push(...value);
  debug.on('Tracing.dataCollected', collect);
  await debug.send('Tracing.start', { categories: CATEGORIES, transferMode: 'ReportEvents' });
  await act();
  const complete = new Promise((resolve) => debug.once('Tracing.tracingComplete', resolve));
  await debug.send('Tracing.end');
  await complete;
  debug.off('Tracing.dataCollected', collect);
  const mains = new Set(
    events
      .filter(({ name, args }) => name === 'thread_name' && args.name === 'CrRendererMain')
      .map(({ pid, tid }) => `${pid}.${tid}`),
  );
  const tasks = events.filter(({ name, pid, tid }) => TASK.test(name) && mains.has(`${pid}.${tid}`));
  const longest = (times) => (Math.max(0, ...times) / 1000).toFixed(1);
  return `${longest(tasks.map(({ dur = 0 }) => dur))}, CPU ${longest(tasks.map(({ tdur = 0 }) => tdur))}`;
}

async function heapMegabytes(debug) {
  await debug.send('HeapProfiler.collectGarbage');
  const { usedSize } = await debug.send('Runtime.getHeapUsage');
  return usedSize / 1024 / 1024;
}

function print(what, value) {
  console.log(`${what.padEnd(52)} ${typeof value === 'number' && !Number.isInteger(value) ? value.toFixed(1) : value}`);
}
