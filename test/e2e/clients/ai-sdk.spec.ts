import { buildAdapter, typeFaultsOf } from '../../support/clients/adapter-run.js';
import { describeWithClient } from '../../support/clients/installed-client.js';
import { itAsksBeforeItRefunds } from '../../support/clients/refund-agents.js';
import { useServer } from '../../support/test-server.js';

describeWithClient('ai-sdk', 'Tool approvals of the AI SDK', (client) => {
  const server = useServer();
  beforeAll(() => buildAdapter('ai-sdk', client));

  it('have the types of the SDK', () => {
    expect(typeFaultsOf(client)).toBe('');
  });

  itAsksBeforeItRefunds(client, server);
});
