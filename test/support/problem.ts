import type { Answer } from './api-client.js';

export interface Problem {
  type: string;
  title: string;
  status: number;
  detail: string;
  instance: string;
  code: string;
  errors?: { path: string; detail: string }[];
}

/** Checks the format of every API error. @returns the problem */
export function problemOf(answer: Answer, status: number): Problem {
  if (answer.status !== status)
    throw new Error(`Expected ${status}, got ${answer.status}: ${answer.text.slice(0, 500)}`);
  expect(answer.headers['content-type']).toMatch(/^application\/problem\+json/);
  const problem = answer.json<Problem & Record<string, unknown>>();
  expect(problem).toEqual(
    expect.objectContaining({
      type: expect.any(String),
      title: expect.any(String),
      status,
      detail: expect.any(String),
      instance: expect.any(String),
      code: expect.stringMatching(/^[a-z][a-z0-9_]*$/),
    }),
  );
  expect(answer.text).not.toMatch(/node_modules|\bat .*\.(ts|js):\d+|SQLITE_|QueryFailedError/);
  return problem;
}
