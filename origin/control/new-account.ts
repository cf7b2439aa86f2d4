import { z } from "zod";
import { newPasswordField } from "../identity/passwords.ts";
import { emailField, usernameField } from "../identity/user.ts";

export const newAccountSchema = z.strictObject({ username: usernameField, email: emailField, password: newPasswordField });
