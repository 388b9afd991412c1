export { WaystationSaver, type WaystationSaverOptions } from './waystation-saver.js';
export { resumeWhenDecided, type Decision, type ResumeOptions } from './resume-when-decided.js';
