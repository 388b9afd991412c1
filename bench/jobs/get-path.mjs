/**
 * GETs one path again and again; each answer must have status 200 and at least `minBytes`.
 * @param {{path: string, requests: number, minBytes: number}} params
 * @param {import('../generator/requests.mjs').Requests} requests
 * @returns {import('../generator/load.mjs').Job}
 */
export function createJob({ path, requests: total, minBytes }, requests) {
  let sent = 0;
  let length = 0;
  const accept = (answer) => {
    if (answer.status !== 200) return `GET ${path}: status ${answer.status} instead of 200`;
    if (answer.length < minBytes)
      return `GET ${path}: ${answer.length} bytes, fewer than the ${minBytes} that were reported`;
    length = answer.length;
    return null;
  };
  const next = () => (sent++ < total ? requests.get(path, accept) : null);
  return { next, summary: () => ({ answerBytes: length }) };
}
