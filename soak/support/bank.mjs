// A bank in a process of its own, which no kill reaches: it moves money and counts.
import http from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';

/** How often money was moved, by the key of the order. @type {Map<string, number>} */
const moves = new Map();
/** Payments under way: who asked for them may be dead. */
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
  // A bank that reads keys moves money once for each.
  const isKnown = url.searchParams.has('keyed') && moves.has(key);
  if (!isKnown) moves.set(key, (moves.get(key) ?? 0) + 1);
  underWay -= 1;
  await pause(Math.random() * 15);
  response.end(JSON.stringify({ transfer: key }));
});
server.listen(0, '127.0.0.1', () => process.send({ port: server.address().port }));
process.once('disconnect', () => process.exit(0));
