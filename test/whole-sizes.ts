/**
 * Random lists and texts of property tests are as long as the tests declare: by default fast-check makes none of more than
 * about ten elements, whatever `maxLength` says, and a fault that needs more steps is not found.
 */
import fc from "fast-check";

fc.configureGlobal({ ...fc.readConfigureGlobal(), defaultSizeToMaxWhenMaxSpecified: true });
