import { useState } from 'react';
import { canNotify, isNotifying, setNotifying } from '../../shell/notifications.js';
import { Button } from '../../ui/button.js';

/** Switches desktop notifications of new calls on or off; they appear while the page is hidden. */
export function Notify() {
  const [isOn, setIsOn] = useState(isNotifying);
  const [refused, setRefused] = useState(false);
  if (!canNotify()) {
    return <span className="faint notify">Browsers allow notifications only over https or on localhost.</span>;
  }
  const change = async () => {
    const isOnNow = await setNotifying(!isOn);
    setIsOn(isOnNow);
    setRefused(!isOn && !isOnNow);
  };
  return (
    <span className="notify">
      <Button kind="quiet" icon={isOn ? 'check' : undefined} onPress={() => void change()} aria-pressed={isOn}>
        {isOn ? 'Notifications on' : 'Notify me'}
      </Button>
      {refused && <span role="status">Blocked by the browser: allow notifications for this page in its settings.</span>}
    </span>
  );
}
