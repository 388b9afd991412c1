// Loaded into a program before it starts: it then runs as a user without a home directory and without an entry in the list of users.
import { syncBuiltinESMExports } from 'node:module';
import os from 'node:os';

const missing = () => {
  throw Object.assign(new Error('A system error occurred: ENOENT (no such file or directory)'), {
    code: 'ERR_SYSTEM_ERROR',
  });
};
os.homedir = missing;
os.userInfo = missing;
syncBuiltinESMExports();
