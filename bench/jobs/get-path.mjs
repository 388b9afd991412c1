/**
 * GETs one path repeatedly; each response must have the status and at least `minBytes`.
 * @param {{path: string, requests: number, minBytes: number, status?: number, headers?: Record<string, string>}} params
 *   `status`: absent = 200; `headers` are sent in addition to the usual ones
 * @param {import('../generator/requests.mjs').Requests} requests
 * @returns {import('../generator/load.mjs').Job}
 */
export function createJob({ path, requests: total, minBytes, status = 200, headers = {} }, requests) {
  let sent = 0;
  let length = 0;
  const accept = (answer) => {
    if (answer.status !== status) return `GET ${path}: status ${answer.status} instead of ${status}`;
    if (answer.length < minBytes)
      return `GET ${path}: ${answer.length} bytes, fewer than the ${minBytes} that were reported`;
    length = answer.length;
    return null;
  };
  const exchange = requests.get(path, accept, false, headers);
  const next = () => (sent++ < total ? exchange : null);
  return { next, summary: () => ({ answerBytes: length }) };
}
