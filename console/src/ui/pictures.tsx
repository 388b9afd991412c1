import { memo, useState } from 'react';
import type { Picture } from '../lib/pictures.js';
import { Button } from './button.js';
import { VisibleText } from './visible-text.js';
import './pictures.css';

/** Above this many characters of a data URL, a picture is drawn only on request. */
const LARGE = 4_000_000;

/**
 * Pictures whose data is in the message. One that would have to be loaded is only named: its address would learn that somebody reads this.
 */
export const Pictures = memo(function Pictures({ pictures }: { pictures: readonly Picture[] }) {
  return (
    <div className="pictures">
      {pictures.map((picture, index) => (
        <OnePicture key={index} {...picture} />
      ))}
    </div>
  );
});

function OnePicture({ src, target }: Picture) {
  const [isWanted, setWanted] = useState(false);
  const [isBroken, setBroken] = useState(false);
  if (src !== null && !isBroken && src.length > LARGE && !isWanted)
    return <Button onPress={() => setWanted(true)}>{`Show the picture (${target})`}</Button>;
  if (src !== null && !isBroken)
    return <img src={src} alt={`Picture, ${target}`} decoding="async" onError={() => setBroken(true)} />;
  return (
    <span className="named">
      picture{isBroken && ' that cannot be drawn'} ⟨<VisibleText text={target.slice(0, 200)} isValue />⟩
    </span>
  );
}
