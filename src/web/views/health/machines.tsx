import { Ago } from "../../parts/ago.tsx";
import { plural } from "../../state/base/plural.ts";
import type { SharedMachines } from "../../state/health/sharing.ts";
import "./sharing.css";

/** Shows the machines that share the workspace, and what waits between them. */
export function Machines({ machines }: { readonly machines: SharedMachines }) {
  if (machines.status === "alone" || machines.status === "broken") return null;
  const { withheld, ignored } = machines;
  return (
    <section aria-label="Machines">
      <h2>Machines</h2>
      <LinkLines machines={machines} />
      <ul class="shared-list card">
        {machines.machines.map((machine) => (
          <MachineRow key={machine.machine} machine={machine} />
        ))}
      </ul>
      {withheld.length > 0 && (
        <>
          <h3>Not on this machine</h3>
          <ul class="shared-files">
            {withheld.map(({ path, reason }) => (
              <li key={path}>
                <code>{path}</code> <span class="quiet">{reason}</span>
              </li>
            ))}
          </ul>
        </>
      )}
      {ignored.length > 0 && (
        <>
          <h3>Changed on this machine only</h3>
          <p>The others ignore these changes, because this machine may not make them.</p>
          <ul class="shared-files">
            {ignored.map((path) => (
              <li key={path}>
                <code>{path}</code>
              </li>
            ))}
          </ul>
        </>
      )}
    </section>
  );
}

function LinkLines({ machines }: { readonly machines: SharedMachines }) {
  const { status, connected, broker, since, reason, waiting, waitingSince, incoming, full } = machines;
  const why = reason === null ? "" : `: ${reason}`;
  return (
    <div class={`remark${connected && why === "" ? "" : " warn"}`}>
      <p>
        {connected ? "Connected to" : "No connection to"} <code>{broker}</code> since{" "}
        <Ago time={since!} since />
        {!connected && why}.
      </p>
      {status === "joining" && <p>This machine is still joining. Files of the others arrive.</p>}
      {status === "shared" && connected && why !== "" && <p>The server refuses messages{why}.</p>}
      {waiting > 0 && (
        <p>
          {plural(waiting, "message")} to send
          {waitingSince !== null && (
            <>
              , the oldest since <Ago time={waitingSince} since />
            </>
          )}
          .
        </p>
      )}
      {waiting === 0 && connected && <p>Everything is sent.</p>}
      {incoming > 0 && (
        <p>{plural(incoming, "message")} of other machines cannot be applied before earlier ones arrive.</p>
      )}
      {full && <p>So much waits that further changes stay on this machine until some of it is sent.</p>}
    </div>
  );
}

function MachineRow({ machine }: { readonly machine: SharedMachines["machines"][number] }) {
  const { name, isSelf, isConnected, lastSeen, behind, level } = machine;
  return (
    <li class="shared-row">
      <span class={`dot${isConnected ? " good" : ""}`} />
      <strong class="shared-name">{name}</strong>
      <span class="chip" title="The highest level that the machine has on any path">
        {level}
      </span>
      <span class="shared-facts">
        {isSelf && "this machine"}
        {!isSelf && isConnected && "here"}
        {!isSelf && !isConnected && lastSeen === null && "not seen since spliced started"}
        {!isSelf && !isConnected && lastSeen !== null && (
          <>
            last seen <Ago time={lastSeen} />
          </>
        )}
        {behind > 0 && `, ${plural(behind, "message")} behind`}
      </span>
    </li>
  );
}
