export { WaystationSaver, type WaystationSaverOptions } from './waystation-saver.js';
export { resumeWhenDecided, type Decision, type ResumableGraph, type ResumeOptions } from './resume-when-decided.js';
export { WaystationError, type ApiOptions } from './waystation-api.js';
