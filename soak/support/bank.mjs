// A bank as a separate process that is never killed: it moves money and counts.
import http from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';

/** How often money was moved, by order. @type {Map<string, number>} */
const moves = new Map();
/** Payments in progress; their callers may be dead. */
let underWay = 0;

const server = http.createServer(async (request, response) => {
  const url = new URL(request.url, 'http://bank');
  if (url.pathname === '/moves') {
    while (underWay > 0) await pause(5);
    return void response.end(JSON.stringify(Object.fromEntries(moves)));
  }
  underWay += 1;
  const key = url.searchParams.get('key');
  await pause(Math.random() * 15);
  // A bank that supports keys moves money once per key.
  const isKnown = url.searchParams.has('keyed') && moves.has(key);
  if (!isKnown) moves.set(key, (moves.get(key) ?? 0) + 1);
  underWay -= 1;
  await pause(Math.random() * 15);
  response.end(JSON.stringify({ transfer: key }));
});
server.listen(0, '127.0.0.1', () => process.send({ port: server.address().port }));
process.once('disconnect', () => process.exit(0));
