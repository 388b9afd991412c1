import { RecordedThread } from './recorded-thread.mjs';

/** Several consecutive jobs use one workload's corpora; older ones would only take memory. */
const KEPT = 3;

/** @type {Map<string, Corpus>} */
const recent = new Map();

/** The threads of a shape and, once asked for, the bodies of all their checkpoints. */
export class Corpus {
  #bodies = null;

  /** @param {import('./recorded-thread.mjs').CorpusShape} shape */
  constructor(shape) {
    this.threads = Array.from({ length: shape.threads }, (_, number) => new RecordedThread(shape, number));
  }

  /** @returns {Buffer[][]} bodies by thread and turn, built before the clock starts */
  bodies() {
    this.#bodies ??= this.threads.map((thread) => thread.bodies());
    return this.#bodies;
  }

  /** @returns {number} */
  messageBytes() {
    return this.threads.reduce((sum, thread) => sum + thread.messageBytes(), 0);
  }
}

/**
 * @param {import('./recorded-thread.mjs').CorpusShape} shape
 * @returns {Corpus} the same object for a recently requested shape
 */
export function corpusOf(shape) {
  const { seed, prefix, threads, turns, window, hasBases, from } = shape;
  const key = JSON.stringify([seed, prefix, threads, turns, window, hasBases, from]);
  const corpus = recent.get(key) ?? new Corpus(shape);
  recent.delete(key);
  recent.set(key, corpus);
  if (recent.size > KEPT) recent.delete(recent.keys().next().value);
  return corpus;
}
