import './icon.css';

const PATHS = {
  runs: 'M2 4h12M2 8h12M2 12h8',
  approvals: 'M3 8.5l3.2 3L13 4.5',
  rules: 'M2.5 4l1.2 1.2L6 3M8.500 4.500h5M2.5 11l1.2 1.200L6 10M8.500 11.500h5',
  channels: 'M2.5 3.5h11v7h-6l-3 2.5v-2.5h-2z',
  agents: 'M8 8.1a2.6 2.6 0 1 0 0-5.2 2.6 2.6 0 0 0 0 5.2M3 13.5c.6-2.8 2.6-4 5-4s4.4 1.2 5 4',
  system: 'M2.5 8H5l1.5-4 3 8L11 8h2.5',
  copy: 'M5.5 5.500v-3h8v8h-3M2.5 5.500h8v8h-8z',
  check: 'M3 8.500l3.2 3L13 4.5',
  close: 'M4 4l8 8M12 4l-8 8',
  down: 'M4 6l4 4 4-4',
  up: 'M8 13V3.500M4 7l4-4 4 4',
  before: 'M4 10l4-4 4 4',
  right: 'M6 4l4 4-4 4',
  search: 'M7 12A5 5 0 1 0 7 2a5 5 0 0 0 0 10M10.6 10.600L14 14',
  retry: 'M13 8a5 5 0 1 1-1.5-3.600M13 2.500v2.700h-2.7',
  stop: 'M4 4h8v8H4z',
  download: 'M8 2v8M4.5 7L8 10.5 11.5 7M2.5 13.500h11',
  trash: 'M2.5 4.500h11M6 4.500v-2h4v2M4 4.500l.7 9h6.600l.7-9',
  message: 'M2.5 3.500h11v7h-6l-3 2.500v-2.500h-2z',
  warning: 'M8 2.500L14.2 13.500H1.800zM8 6.500v3.500M8 11.800v.4',
  sun: 'M8 11a3 3 0 1 0 0-6 3 3 0 0 0 0 6M8 1v1.500M8 13.500V15M1 8h1.500M13.5 8H15M3 3l1.1 1.100M11.9 11.900L13 13M3 13l1.1-1.100M11.9 4.100L13 3',
  moon: 'M13.5 9.500A6 6 0 0 1 6.5 2.500a6 6 0 1 0 7 7z',
  device: 'M2 3h12v8H2zM6 13.500h4',
  out: 'M6 2.500H2.500v11H6M10 4.500L13.5 8 10 11.500M13.5 8H6',
  docs: 'M3 2.500h7.500L13 5v8.500H3zM5.500 6.500h5M5.500 9h5M5.500 11.500h3',
  more: 'M3.5 8h.01M8 8h.01M12.5 8h.01',
} as const;

export type IconName = keyof typeof PATHS;

/** An icon beside a word; if it stands alone in a button, the button has the name. */
export function Icon({ name }: { name: IconName }) {
  return (
    <svg className="icon" viewBox="0 0 16 16" aria-hidden="true">
      <path d={PATHS[name]} />
    </svg>
  );
}
