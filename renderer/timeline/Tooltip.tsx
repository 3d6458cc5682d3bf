import { tokenFacts } from './describe.ts';
import type { Hover } from './use-pointer.ts';

/** What the pointer is over. For the eye only: a selected token is said and stands in the inspector. */
export function Tooltip({ hover }: { hover: Hover }) {
  const facts = tokenFacts(hover.lane, hover.token);
  const right = hover.x > window.innerWidth - 270;
  const above = hover.y > window.innerHeight - 200;
  const style = {
    ...(right ? { right: window.innerWidth - hover.x + 14 } : { left: hover.x + 14 }),
    ...(above ? { bottom: window.innerHeight - hover.y + 14 } : { top: hover.y + 16 }),
  };
  return (
    <div className="tooltip" style={style} aria-hidden="true">
      <p className="tooltip-title" dir="auto">
        {facts.title}
      </p>
      {facts.stall && <p className="stall-word">▼ stall</p>}
      <dl>
        {facts.lines.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </div>
  );
}
