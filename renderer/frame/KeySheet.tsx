import { COMMANDS, type Command, type CommandGroup, keyLabel } from '../../shared/commands.ts';
import { useController } from '../state/context.ts';
import { Modal } from './Modal.tsx';

const GROUPS: readonly CommandGroup[] = ['Timeline', 'Selection', 'Run', 'Records', 'View', 'Help'];

/** Every key, from the table that binds them. */
export function KeySheet() {
  const controller = useController();
  const mac = navigator.platform.startsWith('Mac');
  const commands: readonly Command[] = COMMANDS;
  return (
    <Modal title="Keys" className="key-sheet" onClose={() => controller.openDialog(null)}>
      <div className="key-groups" tabIndex={0} role="group" aria-label="All keys">
        {GROUPS.map((group) => (
          <section key={group}>
            <h3>{group}</h3>
            <dl>
              {commands
                .filter((command) => command.group === group && !/^tab-[2-8]$/.test(command.id))
                .map((command) => (
                  <div key={command.id}>
                    <dt>{command.label}</dt>
                    <dd>
                      {command.keys.map((key, index) => (
                        <span key={keyLabel(key)}>
                          {index > 0 && ' or '}
                          <kbd>{keyLabel(key, mac)}</kbd>
                        </span>
                      ))}
                    </dd>
                  </div>
                ))}
              {group === 'Timeline' && <PointerKeys />}
            </dl>
          </section>
        ))}
      </div>
    </Modal>
  );
}

const POINTER = [
  ['Zoom at the pointer', 'Ctrl wheel'],
  ['Pan', 'Shift wheel'],
  ['Pan by hand', 'Shift drag'],
  ['Select a range of time', 'drag'],
] as const;

function PointerKeys() {
  return POINTER.map(([name, gesture]) => (
    <div key={name}>
      <dt>{name}</dt>
      <dd>
        <kbd>{gesture}</kbd>
      </dd>
    </div>
  ));
}
