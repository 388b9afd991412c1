import { memo, useState } from 'react';
import type { Picture } from '../lib/pictures.js';
import { Button } from './button.js';
import { VisibleText } from './visible-text.js';
import './pictures.css';

/** Characters of a data URL above which a picture is drawn on request only. */
const LARGE = 4_000_000;

/** Pictures whose data stands in the message. One that would have to be loaded is named only: its address would learn that somebody reads this. */
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
