import { Button } from '../../ui/button.js';
import { Dialog } from '../../ui/dialog.js';
import './keys-dialog.css';

const KEYS: { place: string; keys: [keys: string, does: string][] }[] = [
  {
    place: 'Everywhere',
    keys: [
      ['Ctrl K', 'search, or act on the page'],
      ['?', 'show these shortcuts'],
      ['Esc', 'close, or leave a field'],
      ['Ctrl Enter', 'send the form of a dialog'],
    ],
  },
  {
    place: 'Threads and approvals',
    keys: [['j k', 'next, previous']],
  },
  {
    place: 'Threads',
    keys: [
      ['Enter', 'open it'],
      ['/', 'search in the list'],
    ],
  },
  {
    place: 'What waits, in the inbox and in a thread',
    keys: [
      ['a r', 'approve, reject'],
      ['Ctrl Enter', 'approve while you type'],
      ['y n', 'call in doubt: it happened, it did not'],
      ['1 to 9', 'leave a call out, or put it back'],
      ['e', 'edit the arguments or the result'],
      ['m', 'write a reason'],
    ],
  },
  {
    place: 'A question that waits',
    keys: [
      ['a', 'to its first field'],
      ['1 to 9', 'choose an answer'],
      ['Ctrl Enter', 'send the answers'],
      ['r', 'decline'],
    ],
  },
  {
    place: 'A new rule',
    keys: [['Ctrl Enter', 'make it']],
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

/** Lists the keyboard shortcuts of each view. */
export function KeysDialog({ onClose }: { onClose: () => void }) {
  return (
    <Dialog title="Keyboard shortcuts" isOpen wide onClose={onClose} actions={<Button onPress={onClose}>Close</Button>}>
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
