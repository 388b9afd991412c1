import { Dialog } from '../../ui/dialog.js';

const KEYS: { place: string; keys: [keys: string, does: string][] }[] = [
  {
    place: 'Everywhere',
    keys: [
      ['Ctrl K', 'search, and do anything that the page can do'],
      ['?', 'show these shortcuts'],
      ['Esc', 'close, or leave a field'],
    ],
  },
  {
    place: 'Runs and approvals',
    keys: [['j k', 'next, previous']],
  },
  {
    place: 'Runs',
    keys: [
      ['Enter', 'open it'],
      ['/', 'search in the list'],
    ],
  },
  {
    place: 'Approvals',
    keys: [
      ['a r', 'approve, reject'],
      ['Ctrl Enter', 'approve, also while you write'],
      ['y n', 'of a call in doubt: it happened, it did not happen'],
      ['1 to 9', 'leave out a call, or take it back, where each is decided alone'],
      ['e', 'edit the arguments, or what a call in doubt returned'],
      ['m', 'write a reason'],
    ],
  },
  {
    place: 'A thread',
    keys: [
      ['← →', 'previous step, next step'],
      ['[ ]', 'previous thread, next thread of the list'],
      ['+ - 0', 'zoom in, zoom out, fit'],
      ['/', 'find in the transcript'],
    ],
  },
];

/** What can be done by keyboard, and where. */
export function KeysDialog({ onClose }: { onClose: () => void }) {
  return (
    <Dialog title="Keyboard shortcuts" isOpen onClose={onClose}>
      <div className="keys">
        {KEYS.map(({ place, keys }) => (
          <section key={place} aria-label={place}>
            <h3>{place}</h3>
            <dl>
              {keys.map(([names, does]) => (
                <div key={names}>
                  <dt>{names.split(' ').map((name) => (name === 'to' ? ' to ' : <kbd key={name}>{name}</kbd>))}</dt>
                  <dd>{does}</dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
    </Dialog>
  );
}
