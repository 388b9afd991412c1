const KEY = 'waystation-notifications';

/** Browsers allow notifications only over https and on localhost. */
export function canNotify(): boolean {
  return 'Notification' in window && window.isSecureContext;
}

/** Whether the person switched them on and the browser still allows them. */
export function isNotifying(): boolean {
  return canNotify() && localStorage.getItem(KEY) === 'on' && Notification.permission === 'granted';
}

/** Switches notifications on, which makes the browser ask the person, or off. @returns whether they are on */
export async function setNotifying(isOn: boolean): Promise<boolean> {
  localStorage.setItem(KEY, isOn ? 'on' : 'off');
  if (isOn && canNotify() && Notification.permission === 'default') await Notification.requestPermission();
  return isNotifying();
}

/** Notifies of newly waiting items, unless the person looks at the page. Shows no agents' texts: others may see the screen. */
export function notifyOfWaiting(count: number): void {
  notify(count === 1 ? '1 call waits for you.' : `${count} calls wait for you.`);
}

/** Notifies that something still waits, in the same way. */
export function notifyOfReminder(): void {
  notify('An agent still waits for you.');
}

function notify(text: string): void {
  if (!isNotifying() || document.hasFocus()) return;
  try {
    const notification = new Notification('Waystation', { body: text, tag: 'waystation-waiting' });
    notification.onclick = () => {
      window.focus();
      notification.close();
    };
  } catch {
    // Chrome on Android grants the permission, but lets only service workers notify.
    localStorage.setItem(KEY, 'off');
  }
}
