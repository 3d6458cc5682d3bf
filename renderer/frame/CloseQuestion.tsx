import { useController } from '../state/context.ts';
import { Modal } from './Modal.tsx';

/** A tab is to be closed whose record is not saved. */
export function CloseQuestion({ id, name }: { id: string; name: string }) {
  const controller = useController();
  const saveAndClose = async (): Promise<void> => {
    if (await controller.save(id, false)) await controller.close(id, true);
  };
  return (
    <Modal title="Save before closing?" className="question" onClose={() => controller.openDialog(null)}>
      <p>
        <bdi>{name}</bdi> is not saved. Without saving, what was measured is lost.
      </p>
      <div className="modal-buttons">
        <button type="button" className="primary" onClick={() => void saveAndClose()}>
          Save
        </button>
        <button type="button" className="second" onClick={() => void controller.close(id, true)}>
          Close without saving
        </button>
        <button type="button" className="quiet" onClick={() => controller.openDialog(null)}>
          Cancel
        </button>
      </div>
    </Modal>
  );
}
