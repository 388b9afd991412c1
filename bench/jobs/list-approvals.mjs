/** One response in this many is read and checked item by item. */
const CHECKED_EVERY = 20;

/**
 * GETs one page of the approvals repeatedly: pending ones, oldest first.
 * @param {{path: string, requests: number, items: number, oneOf?: Record<string, string>}} params `items`: how many, exactly;
 *   `oneOf`: values that all items have
 * @param {import('../generator/requests.mjs').Requests} requests
 * @returns {import('../generator/load.mjs').Job}
 */
export function createJob({ path, requests: total, items, oneOf = {} }, requests) {
  let sent = 0;
  let lastBody = null;
  const next = () => {
    if (sent >= total) return null;
    sent += 1;
    const isChecked = sent % CHECKED_EVERY === 1 || sent === total;
    const accept = (answer) => {
      if (answer.status !== 200) return `GET ${path}: status ${answer.status} instead of 200`;
      if (!isChecked) return null;
      lastBody = JSON.parse(answer.body.toString());
      const fault = listFault(lastBody.items, items, { status: 'pending', ...oneOf });
      return fault === null ? null : `GET ${path}: ${fault}`;
    };
    return requests.get(path, accept, isChecked);
  };
  return { next, summary: () => ({ nextCursor: lastBody?.next_cursor ?? null }) };
}

function listFault(found, items, oneOf) {
  if (found.length !== items) return `${found.length} items instead of ${items}`;
  if (found.some((item, index) => index > 0 && item.created_at < found[index - 1].created_at)) return 'out of order';
  for (const [field, value] of Object.entries(oneOf)) {
    const wrong = found.find((item) => item[field] !== value);
    if (wrong) return `${field} is ${wrong[field]}`;
  }
  return null;
}
