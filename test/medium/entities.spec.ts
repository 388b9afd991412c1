import { Database, type SqlSession, type SqlValue } from '../../src/database/database.js';
import { PortDataSource } from '../../src/database/port-data-source.js';
import { ENTITIES } from '../../src/entities.js';
import { ChannelAgent } from '../../src/modules/channels/accounts/channel-agent.entity.js';
import { Agent } from '../../src/modules/runners/agents/agent.entity.js';
import { startApp, type InProcessApp } from '../support/in-process-app.js';

let app: InProcessApp;
let database: Database;
let entities: PortDataSource;

beforeAll(async () => {
  app = await startApp();
  database = app.app.get(Database);
  entities = app.app.get(PortDataSource);
});
afterAll(() => app.stop());
afterEach(() => entities.getRepository(Agent).createQueryBuilder().delete().execute());

const HIGH = Number.MAX_SAFE_INTEGER;

function agent(id: string, lastSeen = 1): Agent {
  return { agent_id: id, endpoint: null, invoke_token: null, triggers: null, last_seen: lastSeen };
}

const ids = async () => (await entities.getRepository(Agent).find()).map(({ agent_id: id }) => id).sort();

/** The same storage, with a list of its executed statements. */
async function recorded(): Promise<{ source: PortDataSource; statements: string[] }> {
  const statements: string[] = [];
  const note = (kind: string, sql: string) => statements.push(`${kind}: ${sql.split(' ').slice(0, 3).join(' ')}`);
  const recorder = Object.create(database, {
    read: {
      value: (sql: string, params?: SqlValue[]) => {
        note('read', sql);
        return database.read(sql, params);
      },
    },
    transaction: {
      value: <T>(work: (session: SqlSession) => Promise<T>) => {
        statements.push('begin');
        return database.transaction((session) =>
          work({
            ...session,
            query: (sql, params) => {
              note('write', sql);
              return session.query(sql, params);
            },
          }),
        );
      },
    },
  }) as Database;
  return { source: await PortDataSource.over(recorder, ENTITIES), statements };
}

describe("TypeORM's repositories over the storage port", () => {
  it('keep times, booleans and nothing as they are', async () => {
    const bindings = entities.getRepository(ChannelAgent);
    const binding = { channel_id: 'c', agent_name: 'a', is_default: true, command: null, created_at: HIGH };
    await bindings.insert([binding, { ...binding, agent_name: 'b', is_default: false, command: '/b' }]);
    expect(await bindings.find({ order: { agent_name: 'ASC' } })).toEqual([
      binding,
      { ...binding, agent_name: 'b', is_default: false, command: '/b' },
    ]);
    expect(await bindings.findOneBy({ is_default: false })).toMatchObject({ agent_name: 'b' });
    await bindings.delete({ channel_id: 'c' });
  });

  it('say how many rows a change concerned', async () => {
    const agents = entities.getRepository(Agent);
    await agents.insert([agent('a'), agent('b', 2), agent('c', 2)]);
    expect((await agents.update({ last_seen: 2 }, { last_seen: 3 })).affected).toBe(2);
    expect((await agents.delete({ agent_id: 'nobody' })).affected).toBe(0);
    expect((await agents.createQueryBuilder().delete().where('last_seen = :ms', { ms: 3 }).execute()).affected).toBe(2);
    expect(await ids()).toEqual(['a']);
  });

  it('send each statement to a reader, or make it one transaction of the writer', async () => {
    const { source, statements } = await recorded();
    const agents = source.getRepository(Agent);
    await agents.upsert([agent('a'), agent('b')], ['agent_id']);
    await agents.findBy({ agent_id: 'a' });
    await agents.count();
    await agents.update({ agent_id: 'a' }, { last_seen: 2 });
    expect(statements.map((statement) => statement.replaceAll('"', ''))).toEqual([
      'begin',
      'write: INSERT INTO agent(agent_id,',
      'read: SELECT Agent.agent_id AS',
      'read: SELECT COUNT(1) AS',
      'begin',
      'write: UPDATE agent SET',
    ]);
  });

  it('keep what parallel transactions wrote, and nothing of those that failed', async () => {
    const works = Array.from({ length: 60 }, (_, at) =>
      entities.write(async (manager) => {
        await manager.insert(Agent, agent(`t${at}`));
        await manager.insert(Agent, agent(`t${at}-second`));
        if (at % 2 === 1) throw new Error('left');
      }),
    );
    const alone = Array.from({ length: 30 }, (_, at) => entities.getRepository(Agent).insert(agent(`alone${at}`)));
    const outcomes = await Promise.allSettled([...works, ...alone]);
    expect(outcomes.filter(({ status }) => status === 'rejected')).toHaveLength(30);
    const kept = await ids();
    expect(kept).toHaveLength(90);
    expect(kept.filter((id) => /^t\d*[13579](-|$)/.test(id))).toEqual([]);
  });

  it('see their own transaction, and nobody else sees it before the commit', async () => {
    await entities.write(async (manager) => {
      await manager.insert(Agent, agent('mine'));
      expect(await manager.countBy(Agent, { agent_id: 'mine' })).toBe(1);
      expect(await ids()).toEqual([]);
    });
    expect(await ids()).toEqual(['mine']);
  });

  it('work within a transaction that somebody else has opened, and end with it', async () => {
    const broken = database.transaction(async (session) => {
      await entities.within(session).insert(Agent, agent('gone'));
      await session.query('SELECT nothing FROM nowhere');
    });
    await expect(broken).rejects.toThrow();
    expect(await ids()).toEqual([]);
  });

  it('refuse transactions of their own, and so `save` and `remove`', async () => {
    const agents = entities.getRepository(Agent);
    await agents.insert(agent('a'));
    await expect(agents.save(agent('b'))).rejects.toThrow('PortDataSource.write');
    await expect(agents.remove(agent('a'))).rejects.toThrow('PortDataSource.write');
    await expect(entities.transaction(async () => undefined)).rejects.toThrow('PortDataSource.write');
    expect(await ids()).toEqual(['a']);
  });

  it('fail without naming the statement or its values', async () => {
    const agents = entities.getRepository(Agent);
    await agents.insert(agent('a'));
    const failure: unknown = await agents.insert({ ...agent('a'), invoke_token: 'secret' }).catch((error) => error);
    expect(failure).toMatchObject({ message: expect.any(String) });
    expect(JSON.stringify(failure) + String(failure)).not.toMatch(/secret|INSERT INTO/);
  });
});
