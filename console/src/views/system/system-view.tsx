import { visibleString } from '../../lib/visible-text.js';
import { formatBytes, formatCount, formatDuration } from '../../lib/format.js';
import { useTitle } from '../../shell/use-title.js';
import { Button } from '../../ui/button.js';
import { Figures } from '../../ui/figures.js';
import { Failure, Remedy, Skeleton } from '../../ui/states.js';
import { Status, type Tone } from '../../ui/status.js';
import { Age } from '../../ui/time.js';
import { ViewHead } from '../../ui/view-head.js';
import { Notices } from './notices.js';
import { Sessions } from './sessions.js';
import { useSystem, type Finding, type System } from './system-data.js';
import { Tokens } from './tokens.js';
import './system.css';

/** The state of the server and its storage, the doctor's findings, and who has access. */
export function SystemView() {
  useTitle('System');
  const { data, error, isFetching, refetch } = useSystem();
  return (
    <>
      <ViewHead title="System">
        <Button icon="retry" isDisabled={isFetching} onPress={() => void refetch()}>
          Check again
        </Button>
      </ViewHead>
      {error && !data ? (
        <Failure error={error} onRetry={() => void refetch()} />
      ) : data ? (
        <State system={data} />
      ) : (
        <Skeleton lines={6} />
      )}
      <Notices />
      <Tokens />
      <Sessions />
    </>
  );
}

function State({ system }: { system: System }) {
  const { version, node, database, disk, queue, uptime_seconds, retention_days, findings } = system;
  return (
    <>
      <section className="card system-part" aria-label="This server">
        <Figures
          items={[
            { name: 'Version', value: version },
            { name: 'Node', value: node },
            { name: 'Up for', value: formatDuration(uptime_seconds * 1000) },
            {
              name: 'Database',
              value: `${database.kind === 'sqlite' ? 'SQLite' : 'PostgreSQL'}, ${formatBytes(database.size_bytes)}, answers in ${database.latency_ms.toFixed(1)} ms`,
            },
            ...(disk
              ? [{ name: 'Disk', value: `${formatBytes(disk.free_bytes)} of ${formatBytes(disk.total_bytes)} free` }]
              : []),
            { name: 'Queue', value: `${formatCount(queue.jobs)} of ${formatCount(queue.max_jobs)} reports` },
            { name: 'Threads are kept', value: retention_days === null ? 'for ever' : `${retention_days} days` },
          ]}
        />
      </section>
      <Findings findings={findings} />
      <Instances system={system} />
    </>
  );
}

const TONES: Record<Finding['level'], Tone> = { ok: 'done', warning: 'wait', fault: 'bad' };
const ORDER: Finding['level'][] = ['fault', 'warning', 'ok'];

function Findings({ findings }: { findings: Finding[] }) {
  const sorted = findings.toSorted((one, other) => ORDER.indexOf(one.level) - ORDER.indexOf(other.level));
  return (
    <section className="card system-part" aria-labelledby="findings">
      <h2 id="findings">The doctor says</h2>
      <ul className="findings">
        {sorted.map(({ check, level, message, remedy }) => (
          <li key={check + message}>
            <Status status={level} tone={TONES[level]} />
            <div>
              <p>{visibleString(message)}</p>
              {remedy && <Remedy text={remedy} />}
            </div>
          </li>
        ))}
      </ul>
    </section>
  );
}

function Instances({ system: { instances } }: { system: System }) {
  return (
    <section className="card system-part" aria-labelledby="instances">
      <h2 id="instances">Servers on this database</h2>
      <ul className="records">
        {instances.map(({ id, host, pid, version, last_seen, started_at }) => (
          <li key={id} title={visibleString(id)}>
            <strong>
              {visibleString(host)}, process {pid}
            </strong>
            <span>{version}</span>
            <span>
              since <Age time={started_at} suffix="ago" />
            </span>
            <span>
              seen <Age time={last_seen} suffix="ago" />
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}
