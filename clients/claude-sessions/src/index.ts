export { WaystationSessionStore, type WaystationSessionStoreOptions } from './waystation-session-store.js';
export { canUseTool, type CanUseToolOptions } from './can-use-tool.js';
