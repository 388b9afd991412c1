// Prints what it finds in its container: the permissions of its token, its environment, its user.
import { writeFileSync } from 'node:fs';

const { WAYSTATION_API_URL: url, WAYSTATION_TOKEN: token, OTHER_THREAD, GREETING } = process.env;

async function status(method, path, body) {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  return (await fetch(url + path, { method, headers, body: body && JSON.stringify(body) })).status;
}

function canWrite(file) {
  try {
    writeFileSync(file, '');
    return true;
  } catch {
    return false;
  }
}

const found = {
  url,
  user: process.getuid(),
  greeting: GREETING,
  canWriteHere: canWrite('written'),
  own: await status('GET', `/v1/runners/threads/${process.env.WAYSTATION_THREAD_ID}/latest`),
  other: await status('GET', `/v1/runners/threads/${OTHER_THREAD}/latest`),
  threads: await status('GET', '/threads'),
  approve: await status('POST', '/approvals/secret-run/0/approve'),
  token: await status('POST', '/v1/tokens', { scope: 'runner' }),
};
console.log(JSON.stringify(found));
