import { useState } from 'react';
import { Button } from '../../ui/button.js';
import { Dialog } from '../../ui/dialog.js';
import type { RunsSearch } from './runs-search.js';

type Times = Pick<RunsSearch, 'span' | 'since' | 'until'>;

interface TimesDialogProps {
  isOpen: boolean;
  search: Times;
  onClose: () => void;
  onTimes: (times: Times) => void;
}

/** Asks for the period in which threads have changed. */
export function TimesDialog({ isOpen, search, onClose, onTimes }: TimesDialogProps) {
  return (
    <Dialog title="Changed between" isOpen={isOpen} onClose={onClose}>
      <TimesForm search={search} onClose={onClose} onTimes={onTimes} />
    </Dialog>
  );
}

function TimesForm({ search, onClose, onTimes }: Omit<TimesDialogProps, 'isOpen'>) {
  const [since, setSince] = useState(localText(search.since));
  const [until, setUntil] = useState(localText(search.until));
  const isTurned = since !== '' && until !== '' && since > until;
  return (
    <form
      className="times"
      onSubmit={(event) => {
        event.preventDefault();
        onTimes({ span: undefined, since: instantOf(since), until: instantOf(until) });
        onClose();
      }}
    >
      <label>
        From
        <input type="datetime-local" value={since} onChange={(event) => setSince(event.target.value)} />
      </label>
      <label>
        To
        <input
          type="datetime-local"
          value={until}
          aria-invalid={isTurned}
          aria-describedby={isTurned ? 'times-fault' : undefined}
          onChange={(event) => setUntil(event.target.value)}
        />
      </label>
      {isTurned && (
        <p id="times-fault" className="fault">
          The end is before the beginning.
        </p>
      )}
      <div className="actions">
        <Button onPress={onClose}>Cancel</Button>
        <Button kind="main" type="submit" isDisabled={isTurned}>
          Show
        </Button>
      </div>
    </form>
  );
}

const short = new Intl.DateTimeFormat('en-US', {
  month: 'short',
  day: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  hourCycle: 'h23',
});

/** A label for a period; undefined if neither time is given. */
export function timesLabel({ since, until }: Times): string | undefined {
  if (since && until) return `${short.format(Date.parse(since))} – ${short.format(Date.parse(until))}`;
  if (since) return `since ${short.format(Date.parse(since))}`;
  return until ? `until ${short.format(Date.parse(until))}` : undefined;
}

/** A time in the form of the browser's field, in the person's zone. */
function localText(time: string | undefined): string {
  if (!time) return '';
  const at = new Date(time);
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

function instantOf(text: string): string | undefined {
  return text === '' ? undefined : new Date(text).toISOString();
}
