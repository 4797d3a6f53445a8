/** The console: starts the application in its page. */

import { render } from "preact";
import { App } from "./frame/app.tsx";
import { applyTheme, storedTheme } from "./frame/theme.ts";

applyTheme(storedTheme());
render(<App />, document.getElementById("console") as HTMLElement);
