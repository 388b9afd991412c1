import { toDatabaseFault } from '../../../src/database/database-fault.js';
import { Database } from '../../../src/database/database.js';
import { ChannelsRepository } from '../../../src/modules/channels/accounts/channels.repository.js';
import { useChatServer } from '../../support/chat-server.js';
import { waitFor } from '../../support/wait.js';

const ADA = 42;

const chats = useChatServer(undefined, { transport: 'polling' });

describe('A channel that could not be read when its poller was to begin', () => {
  it('is polled as soon as it can be', async () => {
    await setEnabled(false);
    await waitFor('the end of polling', () => !chats.world.telegram.isPolled);
    let failures = 0;
    const repository = chats.server.app.get(ChannelsRepository);
    const find = repository.find.bind(repository);
    repository.find = (id) => (failures++ === 0 ? Promise.reject(busy()) : find(id));
    await setEnabled(true);
    await waitFor('the failure', () => failures > 0);
    chats.world.telegram.write(ADA, 'hello');
    await waitFor('the answer', () => chats.world.sentTo(ADA).includes('You said: hello'));
  });
});

/** Does not read the channel first, as the API would. */
async function setEnabled(isEnabled: boolean): Promise<void> {
  const sql = `UPDATE channel SET enabled = $1, updated_at = updated_at + 1`;
  await chats.server.app.get(Database).transaction((session) => session.query(sql, [isEnabled]));
}

/** As if all connections were in use for a moment. */
function busy(): unknown {
  return toDatabaseFault(Object.assign(new Error('too many connections'), { code: '53300' }));
}
