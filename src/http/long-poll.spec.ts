import { EventEmitter } from 'node:events';
import type { ApiResponse } from './api-request.js';
import { disconnectSignal } from './long-poll.js';

function responseWith(more: { closed: boolean; writableFinished: boolean }): ApiResponse {
  return Object.assign(new EventEmitter(), more) as unknown as ApiResponse;
}

describe('The signal of a caller that leaves', () => {
  it('comes when the connection closes before the response is sent', () => {
    const response = responseWith({ closed: false, writableFinished: false });
    const signal = disconnectSignal(response);
    expect(signal.aborted).toBe(false);
    response.emit('close');
    expect(signal.aborted).toBe(true);
  });

  it('has come where the caller left before anybody listened', () => {
    expect(disconnectSignal(responseWith({ closed: true, writableFinished: false })).aborted).toBe(true);
  });

  it('does not come once the response is sent', () => {
    const response = responseWith({ closed: false, writableFinished: false });
    const signal = disconnectSignal(response);
    Object.assign(response, { writableFinished: true }).emit('close');
    expect(signal.aborted).toBe(false);
    expect(disconnectSignal(responseWith({ closed: true, writableFinished: true })).aborted).toBe(false);
  });
});
