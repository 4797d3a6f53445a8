/** Light and dark: as the system has it, or as the person chose. */

/** The choice of a person. */
export type Theme = "system" | "light" | "dark";

const KEY = "console.theme";

/** The choice that this browser remembers. */
export function storedTheme(): Theme {
  const stored = localStorage.getItem(KEY);
  return stored === "light" || stored === "dark" ? stored : "system";
}

/** Shows the page in a theme, without remembering it. */
export function applyTheme(theme: Theme): void {
  const { dataset } = document.documentElement;
  if (theme === "system") delete dataset["theme"];
  else dataset["theme"] = theme;
}

/** Remembers a choice and shows it. */
export function chooseTheme(theme: Theme): void {
  if (theme === "system") localStorage.removeItem(KEY);
  else localStorage.setItem(KEY, theme);
  applyTheme(theme);
}
