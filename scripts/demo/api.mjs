/** The API for the demonstration: responses with their exact text. */
export class Api {
  constructor(url, token) {
    this.url = url;
    this.token = token;
  }

  async get(path, headers = {}) {
    return this.#answer(await fetch(this.url + path, { headers: { ...this.#authorization, ...headers } }));
  }

  async post(path, text, type = 'application/json') {
    return this.#send('POST', path, text, type);
  }

  async put(path, text) {
    return this.#send('PUT', path, text, 'application/json');
  }

  /** Opens a stream of server-sent events and returns its chunks of text. */
  async stream(path, signal) {
    const response = await fetch(this.url + path, { headers: this.#authorization, signal });
    if (response.status !== 200) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    return response.body.pipeThrough(new TextDecoderStream());
  }

  /** A link that signs in and opens the page at this path: works once, for 10 minutes. */
  async signedInLink(path = '/', name = process.env.USER) {
    const answer = await this.post('/v1/console/codes', JSON.stringify({ name }));
    if (answer.status !== 201) throw new Error(`No link to the page: ${answer.status} ${answer.text}`);
    return `${this.url}/console${path}#code=${answer.json().code}`;
  }

  get #authorization() {
    return { authorization: `Bearer ${this.token}` };
  }

  async #send(method, path, body, type) {
    const headers = { ...this.#authorization, 'content-type': type };
    return this.#answer(await fetch(this.url + path, { method, headers, body }));
  }

  async #answer(response) {
    const text = await response.text();
    return { status: response.status, etag: response.headers.get('etag'), text, json: () => JSON.parse(text) };
  }
}

/** The text of the two lists as an exact response must contain it. */
export function listsOf({ history, history_meta }) {
  return `"history":${JSON.stringify(history)},"history_meta":${JSON.stringify(history_meta)}`;
}

export function threadPath(threadId, rest = '') {
  return `/threads/${encodeURIComponent(threadId)}${rest}`;
}

export function latestPath(threadId, query = {}) {
  return `/v1/runners/threads/${encodeURIComponent(threadId)}/latest?${new URLSearchParams(query)}`;
}
