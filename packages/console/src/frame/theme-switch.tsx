/** The choice between the system's theme, light and dark. */

import { useState } from "preact/hooks";
import { chooseTheme, storedTheme, type Theme } from "./theme.ts";

const THEMES: readonly (readonly [Theme, string])[] = [
  ["system", "As the system"],
  ["light", "Light"],
  ["dark", "Dark"],
];

/** A labelled choice of the theme. */
export function ThemeSwitch() {
  const [theme, setTheme] = useState(storedTheme());
  const choose = (chosen: Theme): void => {
    chooseTheme(chosen);
    setTheme(chosen);
  };
  return (
    <label class="theme-switch">
      <span>Theme</span>
      <select value={theme} onChange={(event) => choose(event.currentTarget.value as Theme)}>
        {THEMES.map(([value, label]) => (
          <option key={value} value={value}>
            {label}
          </option>
        ))}
      </select>
    </label>
  );
}
