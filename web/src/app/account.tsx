import { signOut } from '../access/sign-in.ts';
import { useWhoami } from '../access/whoami.ts';
import styles from './shell.module.css';

/** The signed-in person, the release, and the sign-out. */
export function Account() {
  const { name, role, via, sandbox, version } = useWhoami();
  return (
    <div className={styles['account']}>
      {sandbox ? <p className={styles['sandbox']}>Sandbox: no real money moves</p> : null}
      <p className={styles['who']}>
        <strong>{name}</strong> {role}
      </p>
      {via === 'session' ? (
        <p className={styles['out']}>
          <button type="button" onClick={() => void signOut(false)}>
            Sign out
          </button>
          <button type="button" onClick={() => void signOut(true)}>
            everywhere
          </button>
        </p>
      ) : null}
      <p>Paybell {version}</p>
    </div>
  );
}
