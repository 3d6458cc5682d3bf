import type { Table } from '../text-table.ts';
import { type Block, px } from './layout.ts';
import { Figure, Label, Rule } from './marks.tsx';
import type { ReportPalette } from './palette.ts';
import { drawable, figureWidth, textWidth } from './text-width.ts';

const SIZE = 12;
const ROW = 28;
const GAP = 18;

/** A table over the whole width: figures keep their room, the first column takes the rest and is cut where it must. */
export function tableBlock(table: Table, width: number, palette: ReportPalette): Block {
  const rows = table.rows.map((row) => row.map(drawable));
  const widths = table.columns.map(({ header }, column) =>
    rows.reduce((widest, row) => Math.max(widest, figureWidth(row[column] ?? '', SIZE)), textWidth(header, SIZE)),
  );
  const fixed = widths.slice(1).reduce((sum, each) => sum + each, 0) + GAP * (widths.length - 1);
  const first = Math.max(60, width - fixed);
  // Where even that does not fit, the gaps give way evenly.
  const step = Math.min(GAP, (width - first - (fixed - GAP * (widths.length - 1))) / Math.max(1, widths.length - 1));
  const lefts = widths.map((_, column) =>
    widths.slice(1, column).reduce((sum, each) => sum + each + step, column === 0 ? 0 : first + step),
  );
  const place = (column: number): { at: number; end: number } => {
    const at = lefts[column] ?? 0;
    return { at, end: at + (column === 0 ? first : (widths[column] ?? 0)) };
  };
  return {
    height: ROW * (rows.length + 1) + 1,
    draw: (x, y) => (
      <g>
        {table.columns.map(({ header, align }, column) => (
          <Label
            key={column}
            x={x + (align === 'left' ? place(column).at : place(column).end)}
            y={y + 18}
            text={header}
            size={SIZE}
            fill={palette.muted}
            anchor={align === 'left' ? 'start' : 'end'}
          />
        ))}
        {rows.map((row, index) => {
          const top = y + ROW * (index + 1);
          return (
            <g key={index}>
              <Rule x={x} y={top} width={width} color={palette.line} />
              {row.map((cell, column) => {
                const align = table.columns[column]?.align ?? 'right';
                const { at, end } = place(column);
                const common = { y: top + 18.5, text: cell, size: SIZE, fill: palette.ink };
                if (column === 0) {
                  return <Label key={column} {...common} x={x + at} weight={600} width={px(first)} />;
                }
                return align === 'left' ? (
                  <Label key={column} {...common} x={x + at} />
                ) : (
                  <Figure key={column} {...common} x={x + end} anchor="end" />
                );
              })}
            </g>
          );
        })}
        <Rule x={x} y={y + ROW * (rows.length + 1)} width={width} color={palette.line} />
      </g>
    ),
  };
}
