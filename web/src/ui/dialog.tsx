import type { ReactNode } from 'react';
import { Dialog as AriaDialog, Heading, Modal, ModalOverlay } from 'react-aria-components';

import { CloseIcon } from './icons.tsx';
import styles from './dialog.module.css';
import { cx } from './cx.ts';

interface DialogProps {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ReactNode;
  readonly isWide?: boolean;
  /** True for a dialog with content that is shown only once: a click outside does not close it. */
  readonly isFirm?: boolean;
}

/** A dialog over the page; Escape closes it, and the focus returns to its former place. */
export function Dialog({ title, onClose, children, isWide = false, isFirm = false }: DialogProps) {
  return (
    <ModalOverlay
      isOpen
      isDismissable={!isFirm}
      onOpenChange={(isOpen) => {
        if (!isOpen) onClose();
      }}
      className={cx(styles['overlay'])}
    >
      <Modal className={cx(styles['modal'], isWide && styles['wide'])}>
        <AriaDialog className={cx(styles['dialog'])}>
          <div className={styles['head']}>
            <Heading slot="title" className={cx(styles['title'])}>
              {title}
            </Heading>
            <button type="button" className={styles['close']} aria-label="Close" onClick={onClose}>
              <CloseIcon />
            </button>
          </div>
          {children}
        </AriaDialog>
      </Modal>
    </ModalOverlay>
  );
}

export function DialogActions({ children }: { children: ReactNode }) {
  return <div className={styles['actions']}>{children}</div>;
}

export function DialogText({ children }: { children: ReactNode }) {
  return <p className={styles['text']}>{children}</p>;
}
