import { render } from "preact";
import { App } from "./shell/app.tsx";
import "./state/health/notifications.ts";
import { signIn } from "./state/base/session.ts";
import "./styles/tokens.css";
import "./styles/base.css";
import "./styles/parts.css";
import "./styles/messages.css";
import "./parts/remark.css";
import "./styles/shell.css";

render(<App />, document.getElementById("page")!);
void signIn();
