import { useNavigate } from '@tanstack/react-router';
import { useEffect, useEffectEvent, useRef, useState } from 'react';
import { ToggleButton, ToggleButtonGroup } from 'react-aria-components';
import { ChoiceMenu, type Choice } from '../../ui/choice-menu.js';
import { Button } from '../../ui/button.js';
import { Icon } from '../../ui/icon.js';
import { useShortcuts } from '../../ui/shortcuts.js';
import { isFiltered, statusesOf, withoutFilters, type RunsSearch, type Sort, type Span } from './runs-search.js';
import { STATUS_GROUPS } from './status-groups.js';
import { TimesDialog, timesLabel } from './times-dialog.js';

const SPAN_CHOICES: { value: Span; label: string }[] = [
  { value: '1h', label: 'last hour' },
  { value: '24h', label: 'last 24 hours' },
  { value: '7d', label: 'last 7 days' },
  { value: '30d', label: 'last 30 days' },
];
const SORT_CHOICES: { value: `${Sort}.${'asc' | 'desc'}`; label: string }[] = [
  { value: 'updated_at.desc', label: 'last changed' },
  { value: 'updated_at.asc', label: 'longest unchanged' },
  { value: 'started_at.desc', label: 'newest' },
  { value: 'started_at.asc', label: 'oldest' },
  { value: 'total_cost_usd.desc', label: 'highest cost' },
  { value: 'total_cost_usd.asc', label: 'lowest cost' },
  { value: 'total_tokens.desc', label: 'most tokens' },
  { value: 'total_tokens.asc', label: 'fewest tokens' },
];
/** A pause in typing, in ms, after which the text counts. */
const TYPED_MS = 250;

interface RunsFiltersProps {
  search: RunsSearch;
  agents: readonly Choice[];
  models: readonly Choice[];
}

/** Filters and sorting of the list, all stored in the address. */
export function RunsFilters({ search, agents, models }: RunsFiltersProps) {
  const navigate = useNavigate();
  const change = (changes: Partial<RunsSearch>, replace = false) =>
    void navigate({ to: '/', search: { ...search, ...changes }, replace });
  const [hasDialog, setDialog] = useState(false);
  const times = timesLabel(search);
  return (
    <div className="filters" role="search" aria-label="Filters">
      <TextSearch
        text={search.q ?? ''}
        onText={(text) => change({ q: text === '' ? undefined : text }, search.q !== undefined)}
      />
      <div className="choices-row">
        <StatusChips search={search} onChange={(status) => change({ status })} />
        <ConditionChips search={search} onChange={change} />
        <ChoiceMenu
          label="Agent"
          none="any agent"
          choices={agents}
          chosen={search.agent}
          onChoose={(agent) => change({ agent })}
        />
        <ChoiceMenu
          label="Model"
          none="any model"
          choices={models}
          chosen={search.model}
          onChoose={(model) => change({ model })}
        />
        <ChoiceMenu
          label="Changed"
          none="any time"
          choices={SPAN_CHOICES}
          chosen={search.span}
          chosenLabel={times}
          onChoose={(span) => change({ span, since: undefined, until: undefined })}
          further={{ label: 'Between …', onChoose: () => setDialog(true) }}
        />
        <ChoiceMenu
          label="Sort"
          choices={SORT_CHOICES}
          chosen={`${search.sort ?? 'updated_at'}.${search.order ?? 'desc'}`}
          onChoose={(chosen) => {
            const [sort, order] = (chosen ?? '').split('.') as [Sort, 'asc' | 'desc'];
            change({ sort: sort === 'updated_at' ? undefined : sort, order: order === 'asc' ? order : undefined });
          }}
        />
        <Button
          kind="quiet"
          icon="close"
          // Its space is reserved, so that nothing below moves when it appears.
          className={isFiltered(search) ? undefined : 'absent'}
          isDisabled={!isFiltered(search)}
          onPress={() => void navigate({ to: '/', search: withoutFilters(search) })}
        >
          Clear filters
        </Button>
      </div>
      <TimesDialog isOpen={hasDialog} search={search} onClose={() => setDialog(false)} onTimes={change} />
    </div>
  );
}

function StatusChips({ search, onChange }: { search: RunsSearch; onChange: (status: string | undefined) => void }) {
  const chosen = statusesOf(search);
  const known = new Set<string>(STATUS_GROUPS.flatMap(({ statuses }) => statuses));
  const selected = STATUS_GROUPS.filter(({ statuses }) => statuses.every((status) => chosen.includes(status)));
  const others = chosen.filter((status) => !known.has(status));
  const choose = (names: Set<string | number>) => {
    const statuses = STATUS_GROUPS.filter(({ name }) => names.has(name)).flatMap((group) => group.statuses);
    onChange([...statuses, ...others].join(',') || undefined);
  };
  return (
    <ToggleButtonGroup
      className="chips"
      aria-label="Status"
      selectionMode="multiple"
      selectedKeys={selected.map(({ name }) => name)}
      onSelectionChange={choose}
    >
      {STATUS_GROUPS.map(({ name }) => (
        <ToggleButton key={name} id={name} className="button chip">
          {name}
        </ToggleButton>
      ))}
    </ToggleButtonGroup>
  );
}

function ConditionChips({
  search: { silent, doubt },
  onChange,
}: {
  search: RunsSearch;
  onChange: (conditions: Pick<RunsSearch, 'silent' | 'doubt'>) => void;
}) {
  const isOf = (names: Set<string | number>, name: string) => (names.has(name) ? (true as const) : undefined);
  return (
    <ToggleButtonGroup
      className="chips"
      aria-label="Condition"
      selectionMode="multiple"
      selectedKeys={[...(silent ? ['silent'] : []), ...(doubt ? ['doubt'] : [])]}
      onSelectionChange={(names) => onChange({ silent: isOf(names, 'silent'), doubt: isOf(names, 'doubt') })}
    >
      <ToggleButton id="silent" className="button chip">
        Silent
      </ToggleButton>
      <ToggleButton id="doubt" className="button chip">
        In doubt
      </ToggleButton>
    </ToggleButtonGroup>
  );
}

function TextSearch({ text, onText }: { text: string; onText: (text: string) => void }) {
  const field = useRef<HTMLInputElement>(null);
  const [typed, setTyped] = useState(text);
  const [before, setBefore] = useState(text);
  const [sent, setSent] = useState(text);
  if (text !== before) {
    setBefore(text);
    // The address changed in another way: back, or cleared filters.
    if (text !== sent) {
      setTyped(text);
      setSent(text);
    }
  }
  const send = (wanted: string) => {
    setSent(wanted);
    onText(wanted);
  };
  const sendTyped = useEffectEvent(() => send(typed));
  // Not with each render: a busy list renders more often than people pause.
  useEffect(() => {
    if (typed === text) return;
    const timer = setTimeout(() => sendTyped(), TYPED_MS);
    return () => clearTimeout(timer);
  }, [typed, text]);
  useShortcuts({ '/': () => field.current?.focus() });
  return (
    <label className="text-search">
      <Icon name="search" />
      <span className="unseen">Search by thread, agent or model</span>
      <input
        ref={field}
        type="search"
        value={typed}
        placeholder="Find threads"
        aria-keyshortcuts="/"
        onChange={(event) => setTyped(event.target.value)}
        onKeyDown={({ key }) => {
          if (key === 'Enter') send(typed);
          if (key !== 'Escape') return;
          if (typed === '') field.current?.blur();
          setTyped('');
          send('');
        }}
      />
      <kbd aria-hidden="true">/</kbd>
    </label>
  );
}
