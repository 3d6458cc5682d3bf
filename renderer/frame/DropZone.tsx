import { useEffect, useState } from 'react';
import { useController } from '../state/context.ts';

/** A record may be dropped anywhere in the window. */
export function DropZone() {
  const controller = useController();
  const [over, setOver] = useState(false);
  useEffect(() => {
    // Enter and leave come for every element on the way: only their balance tells whether the file is over the window.
    let depth = 0;
    const holdsFiles = (event: DragEvent): boolean => event.dataTransfer?.types.includes('Files') ?? false;
    const listeners = {
      dragenter: (event: DragEvent) => {
        if (!holdsFiles(event)) return;
        depth += 1;
        setOver(true);
      },
      dragleave: (event: DragEvent) => {
        if (!holdsFiles(event)) return;
        depth -= 1;
        if (depth <= 0) setOver(false);
      },
      dragover: (event: DragEvent) => {
        if (holdsFiles(event)) event.preventDefault();
      },
      drop: (event: DragEvent) => {
        event.preventDefault();
        depth = 0;
        setOver(false);
        for (const item of event.dataTransfer?.items ?? []) {
          const file = item.getAsFile();
          if (file === null) continue;
          // A folder is a model, a file is a record.
          if (item.webkitGetAsEntry()?.isDirectory === true) void controller.addModel(file);
          else void controller.open({ by: 'file', file });
        }
      },
    };
    window.addEventListener('dragenter', listeners.dragenter);
    window.addEventListener('dragleave', listeners.dragleave);
    window.addEventListener('dragover', listeners.dragover);
    window.addEventListener('drop', listeners.drop);
    return () => {
      window.removeEventListener('dragenter', listeners.dragenter);
      window.removeEventListener('dragleave', listeners.dragleave);
      window.removeEventListener('dragover', listeners.dragover);
      window.removeEventListener('drop', listeners.drop);
    };
  }, [controller]);
  return over ? (
    <div className="drop-zone" aria-hidden="true">
      <p>Drop records to open them</p>
    </div>
  ) : null;
}
