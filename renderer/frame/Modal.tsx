import { type ReactNode, useEffect, useRef } from 'react';
import { Notices } from './Notices.tsx';

interface Props {
  title: string;
  className?: string;
  onClose: () => void;
  children: ReactNode;
}

/** A dialog over the window: keeps the focus, Escape closes it, and the focus returns where it was. */
export function Modal({ title, className = '', onClose, children }: Props) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const element = dialog.current;
    const before = document.activeElement;
    if (element !== null && !element.open) element.showModal();
    return () => {
      element?.close();
      if (before instanceof HTMLElement && before.isConnected) before.focus();
    };
  }, []);
  return (
    <dialog
      ref={dialog}
      className={`modal ${className}`}
      aria-labelledby="modal-title"
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      onPointerDown={(event) => {
        if (event.target === dialog.current) onClose();
      }}
    >
      <div className="modal-frame">
        <header className="modal-head">
          <h2 id="modal-title">{title}</h2>
          <button type="button" className="icon" aria-label="Close" onClick={onClose}>
            ✕
          </button>
        </header>
        {children}
      </div>
      <Notices inDialog />
    </dialog>
  );
}
